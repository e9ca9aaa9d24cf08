use autodiff::autodiff_forward;

#[autodiff_forward(df, Dual, Dual)]
pub const F: f64 = 1.0;
//~ ^^^^^ `#[autodiff_forward]` differentiates functions, and this is none
