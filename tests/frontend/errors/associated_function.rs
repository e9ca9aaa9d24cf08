use autodiff::autodiff_reverse;

struct Scale(f64);
impl Scale {
    #[autodiff_reverse(df, Const, Active, Active)]
    fn f(scale: &Self, x: f64) -> f64 { scale.0 * x }
//~              ^^^^ an associated function cannot be differentiated yet
}
