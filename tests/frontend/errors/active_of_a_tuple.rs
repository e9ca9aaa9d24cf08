use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
//~                    ^^^^^^ `Active` is not supported yet for arguments by value other than `f32` and `f64` | `x` is `(f64, f64)` | take it by reference
fn f(x: (f64, f64)) -> f64 { x.0 * x.1 }
