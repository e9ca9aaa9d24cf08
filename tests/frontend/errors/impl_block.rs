use autodiff::autodiff_reverse;

pub struct Point { pub x: f64 }
    #[autodiff_reverse(df, Duplicated, Active)]
    impl Point { pub fn f(&self) -> f64 { self.x } }
//~ ^^^^ `#[autodiff_reverse]` differentiates functions, and this is none | help: put it on a function: `fn f(x: &[f64]) -> f64 { … }`
