use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
    #[target_feature(enable = "sse2")]
//~   ^^^^^^^^^^^^^^ a function with target features cannot be differentiated | help: differentiate a plain function that this one calls
fn f(x: f64) -> f64 { x }
