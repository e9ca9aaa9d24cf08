use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Const, Const)]
fn f(x: &[f64]) -> Option<&f64> { x.first() }
//~                       ^ the derivative has more references, so the result's lifetime is not clear there | help: name the lifetime, here and at the argument it comes from
