use autodiff::autodiff_reverse;

#[autodiff_reverse(df, DualOnly, Dualv, DualvOnly)]
//~                    ^^^^^^^^ `DualOnly` cannot be used in reverse mode | help: valid here: `Active`, `Duplicated`, `DuplicatedOnly` and `Const`
//~                              ^^^^^ `Dualv` cannot be used in reverse mode | help: valid here: `Active`, `Duplicated`, `DuplicatedOnly` and `Const`
//~                                     ^^^^^^^^^ `DualvOnly` cannot be used in reverse mode | help: valid here: `Active`, `ActiveOnly` and `Const`
pub fn f(x: &f64, y: &[f64]) -> f64 { *x * y[0] }
