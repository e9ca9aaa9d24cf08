use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, DuplicatedOnly)]
//~                            ^^^^^^^^^^^^^^ `DuplicatedOnly` cannot be the activity of the result | help: valid here: `Active`, `ActiveOnly` and `Const`
pub fn f(x: f64) -> f64 { x }
