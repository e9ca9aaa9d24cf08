use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
fn f(x: f64, y: f64) -> f64 { x * y }
//~                     ^^^ `df`: expected 3 activities, found 2: the one for the result is missing
