use autodiff::autodiff_forward;

#[autodiff_forward(df, 3, Dualv, Dualv)]
//~                              ^^^^^ `Dualv` returns one tangent beside the result, and the width is 3 | help: `Dual` returns them all, in an array
pub fn f(x: &[f64]) -> f64 { x[0] }
