use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
fn f(#[cfg(all())] x: f64) -> f64 { x }
//~    ^^^ an argument under `cfg` is not supported yet
