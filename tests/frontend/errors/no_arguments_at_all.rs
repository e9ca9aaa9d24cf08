use autodiff::autodiff_reverse;

    #[autodiff_reverse]
//~ ^^^^^^^^^^^^^^^^^^^ the name of the derivative is missing | help: write `#[autodiff_reverse(name_of_the_derivative, activities…)]`
    pub fn f(x: f64) -> f64 { x }
