use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Const, Active)]
fn f(x: f64, dret: f64) -> f64 { x * dret }
//~          ^^^^ the derivative `df` has an argument `dret` of its own
