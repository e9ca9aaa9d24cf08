use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Const, Active, Const, Active)]
fn f((a, b): (f64, f64), x: f64, _: usize) -> f64 { a * b * x }
//~  ^^^^^^ a pattern in place of an argument's name is not supported yet | give the argument a name, such as `_unused`
//~                              ^ a pattern in place of an argument's name is not supported yet
