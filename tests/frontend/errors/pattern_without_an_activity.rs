use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active)]
pub fn f(x: f64, [a, _]: [f64; 2]) { let _ = x * a; }
//~              ^^^^^^ `df`: expected 2 activities, found 1: the one for `arg1` is missing | help: list one activity each, for `x` and `arg1`
