use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Const)]
fn f(x: f64) -> impl Into<f64> { x }
//~             ^^^^ a result of a type without a name has no derivative | help: name the type, or hand results out through a `&mut` argument
