use autodiff::autodiff_forward;

#[autodiff_forward(df, Dual, Const)]
//~                          ^^^^^ expected 1 activity, found 2: this one would be for the result, but nothing is returned
fn f(x: &mut f64) -> () { *x = 1.0; }
