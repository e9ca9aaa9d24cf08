use autodiff::autodiff_reverse;

#[autodiff_reverse("df", Active, Active)]
//~                ^^^^ expected the name of the derivative, an identifier
fn f(x: f64) -> f64 { x }
