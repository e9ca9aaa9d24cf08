use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Duplicated)]
//~                            ^^^^^^^^^^ `Duplicated` cannot be the activity of the result | supported here: `Active` and `Const`
fn f(x: f64) -> f64 { x }
