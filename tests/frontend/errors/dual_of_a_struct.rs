use autodiff::autodiff_forward;

struct Point { x: f64 }
#[autodiff_forward(df, Dual, Dual)]
//~                    ^^^^ `Dual` is not supported yet for arguments by value | `point` is `Point`
fn f(point: Point) -> f64 { point.x }
