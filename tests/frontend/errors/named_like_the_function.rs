use autodiff::autodiff_reverse;

#[autodiff_reverse(f, Active, Active)]
//~                ^ `f` is the function that is differentiated | help: give the derivative another name
pub fn f(x: f64) -> f64 { x }
