use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Duplicated, Active)]
//~                    ^^^^^^^^^^ `Duplicated` is for references and pointers, but `x` is `f32` | help: a value can be `Active` or `Const`
fn f(x: f32) -> f32 { x }
