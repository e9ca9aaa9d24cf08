use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active)]
fn f(x: f64, y: f64) -> f64 { x * y }
//~          ^ `df`: expected 3 activities, found 1: the one for `y` is missing | one activity each, for `x`, `y` and the result
