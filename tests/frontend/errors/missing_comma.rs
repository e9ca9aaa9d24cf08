use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active Active)]
//~                           ^^^^^^ expected `,`
fn f(x: f64) -> f64 { x }
