use autodiff::autodiff_reverse;

#[autodiff_reverse(Active, Active, df)]
//~                ^^^^^^ the name of the derivative is missing: `Active` is an activity | help: write `#[autodiff_reverse(name_of_the_derivative, activities…)]`
pub fn f(x: f64) -> f64 { x }
