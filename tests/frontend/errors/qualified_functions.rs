use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
pub const fn f(x: f64) -> f64 { x }
//~ ^^^^^ a `const` function cannot be differentiated yet
#[autodiff_reverse(dg, Active, Active)]
pub async fn g(x: f64) -> f64 { x }
//~ ^^^^^ an `async` function cannot be differentiated yet
#[autodiff_reverse(dh, Active, Active)]
pub unsafe fn h(x: f64) -> f64 { x }
//~ ^^^^^^ an `unsafe` function cannot be differentiated yet
#[autodiff_reverse(dk, Active, Active)]
pub extern "C" fn k(x: f64) -> f64 { x }
//~ ^^^^^^ an `extern` function cannot be differentiated yet
