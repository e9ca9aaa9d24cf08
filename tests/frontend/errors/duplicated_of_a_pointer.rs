use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Duplicated)]
//~                    ^^^^^^^^^^ `Duplicated` of a raw pointer is not supported yet, but `x` is `*mut f64` | take a reference
fn f(x: *mut f64) { let _ = x; }
