use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Const, Const)]
fn f(x: &[f64]) -> Option<&f64> { x.first() }
//~                       ^ a result with an elided lifetime is not supported yet | name the lifetime
