use autodiff::autodiff_forward;

#[autodiff_forward(df, 2, Dual, Const, Dual)]
fn f(x: f64, bx_1: f64) -> f64 { x * bx_1 }
//~          ^^^^ the derivative `df` has an argument `bx_1` of its own
