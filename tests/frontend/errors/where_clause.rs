use autodiff::autodiff_reverse;

#[autodiff_reverse(df, Duplicated, Duplicated, Active)]
fn f<'a, 'b>(x: &'a f64, y: &'b f64) -> f64 where 'a: 'b { x * y }
//~                                         ^^^^^ a function with a `where` clause cannot be differentiated yet | `<'a, 'b: 'a>`
