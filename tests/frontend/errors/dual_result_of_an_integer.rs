use autodiff::autodiff_forward;

#[autodiff_forward(df, Dual, Dual)]
//~                          ^^^^ the result cannot be `Dual`: `usize` has no derivative | help: make it `Const`
fn f(x: f64) -> usize { x as usize }
