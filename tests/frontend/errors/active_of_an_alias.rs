use autodiff::autodiff_reverse;

type Real = f64;
#[autodiff_reverse(df, Active, Active)]
//~                    ^^^^^^ but `x` is `Real` | an alias of `f32` or `f64` must be written out
fn f(x: Real) -> f64 { x }
