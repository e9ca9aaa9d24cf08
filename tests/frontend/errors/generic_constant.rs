use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Duplicated, Active)]
fn f<const N: usize>(x: &[f64; N]) -> f64 { x[0] }
//~        ^ a function with generic constants cannot be differentiated yet
