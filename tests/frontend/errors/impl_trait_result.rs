use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Const)]
fn f(x: f64) -> impl Into<f64> { x }
//~             ^^^^ `impl Trait` in the header of a differentiated function is not supported yet
