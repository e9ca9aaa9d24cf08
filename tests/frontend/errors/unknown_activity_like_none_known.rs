use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Gradient, Active)]
//~                    ^^^^^^^^ unknown activity `Gradient` | help: valid here: `Active`, `Duplicated`, `DuplicatedOnly` and `Const`
fn f(x: f64) -> f64 { x }
