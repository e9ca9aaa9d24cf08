use autodiff::autodiff_reverse;

pub fn df() {}
#[autodiff_reverse(df, Active, Active)]
//~                ^^ the name `df` is defined multiple times
pub fn f(x: f64) -> f64 { x }
