use autodiff::autodiff_reverse;

#[autodiff_reverse(df, ActiveOnly, Active)]
//~                    ^^^^^^^^^^ `ActiveOnly` is for the result: an argument is `Active` | help: valid here: `Active`, `Duplicated`, `DuplicatedOnly` and `Const`
pub fn f(x: f64) -> f64 { x }
