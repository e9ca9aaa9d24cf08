use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Dual, Active)]
//~                    ^^^^ `Dual` is no activity of reverse mode | supported here: `Active`, `Duplicated` and `Const`
fn f(x: &mut [f64; 3]) -> f64 { x[0] }
