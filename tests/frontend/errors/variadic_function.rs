#![feature(c_variadic)]
use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
pub unsafe extern "C" fn f(x: f64, _: ...) -> f64 { x }
//~                                   ^ a variadic function cannot be differentiated | help: differentiate a plain function that this one calls
