use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Duplicated, Dual)]
//~                    ^^^^^^ `Active` is for values, but `x` is `&f64` | help: a reference or pointer can be `Duplicated` or `Const`
//~                            ^^^^^^^^^^ `Duplicated` is for references and pointers, but `y` is `f64` | help: a value can be `Active` or `Const`
//~                                        ^^^^ `Dual` cannot be used in reverse mode | help: valid here: `Active`, `ActiveOnly` and `Const`
fn f(x: &f64, y: f64) -> f64 { x * y }
