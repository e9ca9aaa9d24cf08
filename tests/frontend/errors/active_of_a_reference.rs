use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
//~                    ^^^^^^ `Active` is for `f32` and `f64` by value, but `x` is `&[f64]` | help: a reference can be `Duplicated` or `Const`
fn f(x: &[f64]) -> f64 { x[0] }
