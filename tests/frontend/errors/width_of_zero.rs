use autodiff::autodiff_forward;

#[autodiff_forward(df, 0, Dual, Dual)]
//~                    ^ `0` is no width | 1 or more
fn f(x: f64) -> f64 { x }
