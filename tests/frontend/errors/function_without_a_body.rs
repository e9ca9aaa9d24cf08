use autodiff::autodiff_reverse;

pub trait Energy {
    #[autodiff_reverse(df, Active, Active)]
    fn energy(x: f64) -> f64;
//~                         ^ a function without a body has no derivative
}
