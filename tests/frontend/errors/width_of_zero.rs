use autodiff::autodiff_forward;

#[autodiff_forward(df, 0, Dual, Dual)]
//~                    ^ `0` is no width | help: the width is how many directions are followed at once, 1 to 1024
fn f(x: f64) -> f64 { x }
