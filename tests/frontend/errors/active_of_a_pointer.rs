use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Const)]
//~                    ^^^^^^ `Active` is for values, but `x` is `*const f64` | help: a reference or pointer can be `Duplicated` or `Const`
pub fn f(x: *const f64) -> f64 { let _ = x; 0.0 }
