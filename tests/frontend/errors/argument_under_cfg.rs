use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
fn f(#[cfg(all())] x: f64) -> f64 { x }
//~    ^^^ an argument under `cfg` cannot have an activity | help: write the function twice, each under its own `cfg`
