use autodiff::autodiff_reverse;

#[autodiff_reverse(df, 4, Active, Active)]
//~                    ^ a width in reverse mode is not supported yet | or use `autodiff_forward`
fn f(x: f64) -> f64 { x }
