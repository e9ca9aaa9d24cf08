use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
    #[target_feature(enable = "sse2")]
//~   ^^^^^^^^^^^^^^ a function with target features cannot be differentiated yet
fn f(x: f64) -> f64 { x }
