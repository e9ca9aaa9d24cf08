use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
//~                            ^^^^^^ the result is `(f64, Vec<f64>)` | hand results out through a `&mut` argument
fn f(x: f64) -> (f64, Vec<f64>) { (x, vec![x]) }
