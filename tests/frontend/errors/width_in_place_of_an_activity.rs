use autodiff::autodiff_forward;

#[autodiff_forward(df, Dual, 2, Dual)]
//~                          ^ expected an activity, such as `Const`
fn f(x: f64) -> f64 { x }
