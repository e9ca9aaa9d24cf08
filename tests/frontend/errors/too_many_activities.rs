use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active, Active, Const)]
//~                                    ^^^^^^ `df`: expected 2 activities, found 4: this one is too many | one activity each, for `x` and the result
fn f(x: f64) -> f64 { x }
