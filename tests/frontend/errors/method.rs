use autodiff::autodiff_reverse;

struct Scale(f64);
impl Scale {
    #[autodiff_reverse(df, Const, Active, Active)]
    fn f(&self, x: f64) -> f64 { self.0 * x }
//~       ^^^^ a method cannot be differentiated yet | a free function that takes the receiver as its first argument
}
