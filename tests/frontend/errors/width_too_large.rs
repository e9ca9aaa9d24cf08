use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_forward(df, 5000000000, Dual, Dual)]
//~                    ^^^^^^^^^^ `5000000000` is no width | help: the width is how many directions are followed at once, 1 to 1024
#[autodiff_reverse(dg, 1025, Const, Active)]
//~                    ^^^^ `1025` is no width | help: the width is how many directions are followed at once, 1 to 1024
pub fn f(x: f64) -> f64 { x }
