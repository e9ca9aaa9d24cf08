use autodiff::autodiff_reverse;

#[autodiff_reverse(crate::df, Active, Active)]
//~                ^^^^^ expected the name of the derivative, an identifier | help: write `#[autodiff_reverse(name_of_the_derivative, activities…)]`
pub fn f(x: f64) -> f64 { x }
