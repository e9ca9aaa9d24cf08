use autodiff::autodiff_forward;

#[autodiff_forward(df, Dual, DualOnly)]
//~                          ^^^^^^^^ `DualOnly` as the activity of the result is for values made of nothing but numbers, but the result is `&'a f64` | help: make it `Const`, or hand results out through a `&mut` argument
pub fn f<'a>(x: &'a [f64]) -> &'a f64 { &x[0] }
