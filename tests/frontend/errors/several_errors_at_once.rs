use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Duplicated, Dual)]
//~                    ^^^^^^ `Active` is for `f32` and `f64` by value, but `x` is `&f64`
//~                            ^^^^^^^^^^ `Duplicated` is for references, but `y` is `f64`
//~                                        ^^^^ `Dual` is no activity of reverse mode
fn f(x: &f64, y: f64) -> f64 { x * y }
