use autodiff::autodiff_forward;

#[autodiff_forward(df, Duplicated, Dual)]
//~                    ^^^^^^^^^^ `Duplicated` is no activity of forward mode
fn f(x: &f64) -> f64 { *x }
