use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
pub struct Point { pub x: f64 }
//~ ^^^^^^ `#[autodiff_reverse]` differentiates functions, and this is none | help: put it on a function: `fn f(x: &[f64]) -> f64 { … }`
