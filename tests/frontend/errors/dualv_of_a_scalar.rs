use autodiff::autodiff_forward;

#[autodiff_forward(df, 3, Dualv, DualvOnly, Dual)]
//~                       ^^^^^ `Dualv` with a width of 3 is for slices: `&[T]` and `&mut [T]`, but `x` is `f64` | help: `Dual` takes 3 tangents, each an argument of its own
//~                              ^^^^^^^^^ `DualvOnly` with a width of 3 is for slices: `&[T]` and `&mut [T]`, but `y` is `&[f64; 2]` | help: `Dual` takes 3 tangents, each an argument of its own
pub fn f(x: f64, y: &[f64; 2]) -> f64 { x * y[0] }
