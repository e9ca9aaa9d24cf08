use autodiff::autodiff_forward;

#[autodiff_forward(df, Dual, Dual)]
//~                          ^^^^ `Dual` as the activity of the result is for `f32` and `f64`, but the result is `usize` | make the result `Const`
fn f(x: f64) -> usize { x as usize }
