use autodiff::autodiff_reverse;

#[autodiff_reverse(df, DuplicateOnly, ActivOnly)]
//~                    ^^^^^^^^^^^^^ unknown activity `DuplicateOnly` | help: did you mean `DuplicatedOnly`? valid here: `Active`, `Duplicated`, `DuplicatedOnly` and `Const`
//~                                   ^^^^^^^^^ unknown activity `ActivOnly` | help: did you mean `ActiveOnly`? valid here: `Active`, `ActiveOnly` and `Const`
pub fn f(x: &f64) -> f64 { *x }
