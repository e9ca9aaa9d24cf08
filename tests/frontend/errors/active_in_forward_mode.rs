use autodiff::autodiff_forward;

#[autodiff_forward(df, Active, Dual)]
//~                    ^^^^^^ `Active` cannot be used in forward mode | help: valid here: `Dual`, `DualOnly`, `Dualv`, `DualvOnly` and `Const`
fn f(x: f64) -> f64 { x }
