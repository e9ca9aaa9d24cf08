use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Duplicated, Active)]
pub fn f(x: &[f64; 3]) -> f64 { x[0] }
pub fn uses(x: &[f64; 3]) -> f64 {
    df(x, &mut [0.0_f32; 3], 1.0)
//~             ^^^^^^^ mismatched types
}
