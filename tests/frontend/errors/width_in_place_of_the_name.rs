use autodiff::autodiff_forward;

#[autodiff_forward(2, Dual, Dual)]
//~                ^ expected the name of the derivative, an identifier
fn f(x: f64) -> f64 { x }
