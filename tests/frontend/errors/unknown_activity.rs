use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Duplicat, Active)]
//~                    ^^^^^^^^ unknown activity `Duplicat` | did you mean `Duplicated`?
fn f(x: &f64) -> f64 { *x }
