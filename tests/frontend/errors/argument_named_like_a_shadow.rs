use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Duplicated, Const, Active)]
fn f(x: &f64, dx_0: f64) -> f64 { x * dx_0 }
//~           ^^^^ the derivative `df` has an argument `dx_0` of its own | give this argument another name
