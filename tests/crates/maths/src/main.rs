//! The functions of `f64` and `f32` in std, differentiated at points of which some are edges: a line of text for each point.

#![no_main]

#[macro_use]
mod functions;

/// A module for each function, with its derivatives in both modes and what stands in books.
macro_rules! differentiated {
    ($real:ident; $($name:ident [$x:ident $(, $rest:ident)*] $value:expr, [$($slope:expr),+], at $([$($point:expr),+])* $(edges $([$($edge:expr),+])+)?;)*) => {
        use autodiff::*;

        $(mod $name {
            use super::*;

            #[autodiff_reverse(reverse, Duplicated, Active)]
            #[autodiff_forward(forward, Dual, Dual)]
            fn value(x: &[$real; 3]) -> $real {
                let [$x, $($rest,)* ..] = *x;
                $value
            }

            fn slopes(x: &[$real; 3]) -> Vec<$real> {
                #[allow(unused_variables)]
                let [$x, $($rest,)* ..] = *x;
                vec![$($slope),+]
            }

            pub fn report() {
                let points: &[&[$real]] = &[$(&[$($point),+]),*];
                let edges: &[&[$real]] = &[$($(&[$($edge),+]),+)?];
                for (number, point) in points.iter().chain(edges).enumerate() {
                    let mut x: [$real; 3] = [0.0; 3];
                    x[..point.len()].copy_from_slice(point);
                    let x = core::hint::black_box(x);
                    let right = slopes(&x);
                    let mut adjoint = [0.0; 3];
                    let by_reverse = reverse(&x, &mut adjoint, 1.0);
                    let towards = |at: usize| core::array::from_fn(|i| if i == at { 1.0 as $real } else { 0.0 });
                    let by_forward: Vec<_> = (0..right.len()).map(|at| forward(&x, &towards(at))).collect();
                    crate::line(stringify!($name), stringify!($real), if number < points.len() { "regular" } else { "edge" });
                    crate::numbers("at", point.iter().map(|&x| x as f64));
                    crate::numbers("plain", [value(&x) as f64]);
                    crate::numbers("slopes", right.iter().map(|&y| y as f64));
                    crate::numbers("value", [by_reverse as f64]);
                    crate::numbers("reverse", adjoint[..right.len()].iter().map(|&y| y as f64));
                    crate::numbers("values", by_forward.iter().map(|y| y.0 as f64));
                    crate::numbers("forward", by_forward.iter().map(|y| y.1 as f64));
                    crate::end();
                }
            }
        })*

        pub fn report() {
            $($name::report();)*
        }
    };
}

mod double {
    use core::f64::consts;

    functions!(differentiated, f64);
}

mod single {
    use core::f32::consts;

    functions!(differentiated, f32);
}

unsafe extern "C" {
    fn dprintf(file: i32, format: *const core::ffi::c_char, ...) -> i32;
}

fn line(name: &str, real: &str, kind: &str) {
    unsafe { dprintf(1, c"{".as_ptr()) };
    for (what, text) in [("function", name), ("type", real), ("point", kind)] {
        let [(what, length), (text, long)] =
            [what, text].map(|text| (text.as_ptr(), text.len() as i32));
        unsafe {
            dprintf(
                1,
                c"\"%.*s\": \"%.*s\", ".as_ptr(),
                length,
                what,
                long,
                text,
            )
        };
    }
}

fn numbers(name: &str, numbers: impl IntoIterator<Item = f64>) {
    unsafe {
        dprintf(
            1,
            c"\"%.*s\": \"".as_ptr(),
            name.len() as i32,
            name.as_ptr(),
        )
    };
    for number in numbers {
        unsafe { dprintf(1, c"%.17g ".as_ptr(), number) };
    }
    unsafe { dprintf(1, c"\", ".as_ptr()) };
}

fn end() {
    unsafe { dprintf(1, c"\"\": \"\"}\n".as_ptr()) };
}

#[unsafe(no_mangle)]
pub extern "C" fn main(_argc: i32, _argv: *const *const u8) -> i32 {
    double::report();
    single::report();
    0
}
