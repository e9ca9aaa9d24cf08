use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Duplicated, Active)]
//~                    ^^^^^^^^^^ `Duplicated` is for references, but `x` is `f32` | can be `Active` or `Const`
fn f(x: f32) -> f32 { x }
