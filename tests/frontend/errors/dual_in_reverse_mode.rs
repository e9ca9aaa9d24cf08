use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Dual, Active)]
//~                    ^^^^ `Dual` cannot be used in reverse mode | help: valid here: `Active`, `Duplicated`, `DuplicatedOnly` and `Const`
fn f(x: &mut [f64; 3]) -> f64 { x[0] }
