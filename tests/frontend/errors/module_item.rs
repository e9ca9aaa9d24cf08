use autodiff::autodiff_forward;

#[autodiff_forward(df, Duplicated, Active)]
pub mod inner { pub fn f(x: &f64) -> f64 { *x } }
//~ ^^^ `#[autodiff_forward]` differentiates functions, and this is none | help: put it on a function: `fn f(x: &[f64]) -> f64 { … }`
