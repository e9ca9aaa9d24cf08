use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(df, Active, Active)]
//~                            ^^^^^^ `Active` as the activity of the result is for values made of nothing but numbers, but the result is `Vec<f64>` | help: make it `Const`, or hand results out through a `&mut` argument
#[autodiff_forward(tf, Dual, Dual)]
//~                          ^^^^ `Dual` as the activity of the result is for values made of nothing but numbers, but the result is `Vec<f64>` | help: make it `Const`, or hand results out through a `&mut` argument
pub fn f(x: f64) -> Vec<f64> { vec![x] }
