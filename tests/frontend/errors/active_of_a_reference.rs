use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
//~                    ^^^^^^ `Active` is for values, but `x` is `&[f64]` | help: a reference or pointer can be `Duplicated` or `Const`
fn f(x: &[f64]) -> f64 { x[0] }
