use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(df, Active, Active, Active)]
//~                    ^^^^^^ `g` cannot be `Active`: there is no derivative by `fn(f64) -> f64` | help: make it `Const`
#[autodiff_forward(tf, Dual, Dual, Dual)]
//~                    ^^^^ `g` cannot be `Dual`: there is no derivative by `fn(f64) -> f64` | help: make it `Const`
pub fn f(g: fn(f64) -> f64, x: f64) -> f64 { g(x) }
