use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(df, Active, Active)]
#[autodiff_forward(df_forward, Dual, Active)]
//~                                  ^^^^^^ `Active` cannot be used in forward mode | help: valid here: `Dual`, `DualOnly`, `Dualv`, `DualvOnly` and `Const`
fn f(x: f64) -> f64 { x }
pub fn uses() -> (f64, f64) { df(1.0, f(2.0)) }
