use autodiff::autodiff_reverse;

#[autodiff_reverse(df, DuplicatedOnly, ActiveOnly)]
//~                    ^^^^^^^^^^^^^^ activity `DuplicatedOnly` is not supported yet | supported here: `Active`, `Duplicated` and `Const`
//~                                    ^^^^^^^^^^ activity `ActiveOnly` is not supported yet | supported here: `Active` and `Const`
fn f(x: &f64) -> f64 { *x }
