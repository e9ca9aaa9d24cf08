use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active, Active)]
//~                    ^^^^^^ `Active` is for values made of nothing but numbers, but `x` is `Vec<f64>` | help: take it by reference and make it `Duplicated`, or make it `Const`
//~                            ^^^^^^ `Active` is for values made of nothing but numbers, but `y` is `std::boxed::Box<[f64]>` | help: take it by reference and make it `Duplicated`, or make it `Const`
pub fn f(x: Vec<f64>, y: std::boxed::Box<[f64]>) -> f64 { x[0] * y[0] }
