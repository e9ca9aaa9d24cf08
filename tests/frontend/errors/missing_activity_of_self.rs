use autodiff::autodiff_reverse;

pub struct Scale(pub f64);
impl Scale {
    #[autodiff_reverse(df, Active, Active)]
    pub fn f(&self, x: f64) -> f64 { self.0 * x }
//~                            ^^^ `df`: expected 3 activities, found 2: the one for the result is missing | help: list one activity each, for `self`, `x` and the result
}
