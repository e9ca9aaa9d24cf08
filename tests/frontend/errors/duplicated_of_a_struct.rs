use autodiff::autodiff_reverse;

pub struct Point { pub x: f64 }
#[autodiff_reverse(df, Duplicated, Active)]
//~                    ^^^^^^^^^^ `Duplicated` is for references and pointers, but `point` is `Point` | help: a value can be `Active` or `Const`
pub fn f(point: Point) -> f64 { point.x }
