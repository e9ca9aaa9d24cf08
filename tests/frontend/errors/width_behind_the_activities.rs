use autodiff::autodiff_forward;

#[autodiff_forward(df, Dual, Dual, 2)]
//~                                ^ expected an activity, such as `Const` | help: write `#[autodiff_forward(name_of_the_derivative, activities…)]`
pub fn f(x: f64) -> f64 { x }
