use autodiff::autodiff_reverse;

#[autodiff_reverse(df, 4, Active, Active)]
//~                       ^^^^^^ `Active` returns one adjoint, and the width is 4, but `x` is `f64` | help: take it by reference and make it `Duplicated`, or make it `Const`
pub fn f(x: f64) -> f64 { x }
