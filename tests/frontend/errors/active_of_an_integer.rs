use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active, Active, Active)]
//~                            ^^^^^^ `n` cannot be `Active`: there is no derivative by `usize` | help: make it `Const`
//~                                    ^^^^^^ `c` cannot be `Active`: there is no derivative by `bool` | help: make it `Const`
pub fn f(x: f64, n: usize, c: bool) -> f64 { if c { x * n as f64 } else { x } }
