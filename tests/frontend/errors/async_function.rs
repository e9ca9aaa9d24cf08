use autodiff::autodiff_reverse;

#[autodiff_reverse(dg, Active, Active)]
pub async fn g(x: f64) -> f64 { x }
//~ ^^^^^ an `async` function cannot be differentiated | help: differentiate a plain function that this one calls
