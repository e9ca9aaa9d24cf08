use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Active, Active)]
fn __crategrad_primal(x: f64) -> f64 { x }
//~^^^^^^^^^^^^^^^^^^ a function of this name cannot be differentiated yet | choose another
