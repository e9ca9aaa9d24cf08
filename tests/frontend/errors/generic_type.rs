use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Duplicated, Const, Active)]
fn f<T>(x: &[f64], _y: T) -> f64 { x[0] }
//~  ^ a function with generic types cannot be differentiated yet | only lifetimes can be generic
