use autodiff::autodiff_forward;

#[autodiff_forward(df, dual, Dual)]
//~                    ^^^^ unknown activity `dual` | did you mean `Dual`?
fn f(x: f64) -> f64 { x }
