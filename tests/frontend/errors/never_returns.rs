use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Const)]
fn f(_x: f64) -> ! { loop {} }
//~              ^ a function that never returns has no derivative
