use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Duplicated, Const)]
//~                                ^^^^^ `df`: expected 1 activity, found 2: this one would be for the result, but nothing is returned | one activity, for `x`
fn f(x: &mut f64) { *x = 1.0; }
