use autodiff::autodiff_forward;

#[autodiff_forward(df, Dual, Dual)]
//~                    ^^^^ but `x` is `[f64; 3]` | take it by reference
fn f(x: [f64; 3]) -> f64 { x[0] }
