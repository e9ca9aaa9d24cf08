use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Const, Active)]
fn f(x: f64, g: &impl Fn(f64) -> f64) -> f64 { g(x) }
//~              ^^^^ `impl Trait` in the header of a differentiated function is not supported yet
