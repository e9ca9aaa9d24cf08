use autodiff::autodiff_forward;

#[autodiff_forward(df, DualOnly, Dualv, DualvOnly, Dual)]
//~                    ^^^^^^^^ activity `DualOnly` is not supported yet | supported here: `Dual` and `Const`
//~                              ^^^^^ activity `Dualv` is not supported yet
//~                                     ^^^^^^^^^ activity `DualvOnly` is not supported yet
fn f(x: &f64, y: &f64, z: &f64) -> f64 { *x + *y + *z }
