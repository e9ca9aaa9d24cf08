use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Const, Active, Active)]
pub fn f((a, b): (f64, f64), arg0: f64) -> f64 { a * b * arg0 }
//~      ^^^^^^ the derivative `df` has an argument `arg0` of its own | help: give this argument another name
//~                          ^^^^ the derivative `df` has an argument `arg0` of its own | help: give this argument another name
