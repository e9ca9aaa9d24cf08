use autodiff::autodiff_forward;

#[autodiff_forward(df, DuplicatedOnly, Dual)]
//~                    ^^^^^^^^^^^^^^ `DuplicatedOnly` cannot be used in forward mode | help: valid here: `Dual`, `DualOnly`, `Dualv`, `DualvOnly` and `Const`
pub fn f(x: &f64) -> f64 { *x }
