use autodiff::autodiff_forward;

#[autodiff_forward(df, Active, Dual)]
//~                    ^^^^^^ `Active` is no activity of forward mode | supported here: `Dual` and `Const`
fn f(x: f64) -> f64 { x }
