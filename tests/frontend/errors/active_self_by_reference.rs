use autodiff::autodiff_reverse;

pub struct Scale(pub f64);
impl Scale {
    #[autodiff_reverse(df, Active, Active, Active)]
//~                        ^^^^^^ `Active` is for values, but `self` is `&mut Self` | help: a reference or pointer can be `Duplicated` or `Const`
    pub fn f(&mut self, x: f64) -> f64 { self.0 * x }
    #[autodiff_reverse(dg, Duplicated, Active, Active)]
//~                        ^^^^^^^^^^ `Duplicated` is for references and pointers, but `self` is `Self` | help: a value can be `Active` or `Const`
    pub fn g(self, x: f64) -> f64 { self.0 * x }
}
