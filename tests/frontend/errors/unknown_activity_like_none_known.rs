use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Gradient, Active)]
//~                    ^^^^^^^^ unknown activity `Gradient` | help: supported here: `Active`, `Duplicated` and `Const`
fn f(x: f64) -> f64 { x }
