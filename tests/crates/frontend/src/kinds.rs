//! Functions inside functions and modules, `const`, `unsafe`, `extern "C"`, made by macros, with uncommon names.

use crate::report::show;
use autodiff::*;

#[autodiff_reverse(d_safe_no_more, Active, Active)]
unsafe fn safe_no_more(x: f64) -> f64 {
    x * x
}

#[autodiff_reverse(d_foreign, Active, Duplicated, Active)]
extern "C" fn foreign(x: f64, by: &f64) -> f64 {
    x * by
}

mod inner {
    pub(crate) mod deeper {
        use autodiff::*;

        #[autodiff_reverse(d_deeper, Active, Active)]
        #[autodiff_forward(t_deeper, Dual, Dual)]
        pub(in crate::kinds) fn deeper(x: f64) -> f64 {
            1.0 / x
        }
    }
}

macro_rules! power {
    ($name:ident, $derivative:ident, $exponent:expr, $float:ty) => {
        #[autodiff_reverse($derivative, Active, Active)]
        fn $name(x: $float) -> $float {
            x.powi($exponent)
        }
    };
}

power!(cube, d_cube, 3, f64);
power!(inverse, d_inverse, -1, f64);

#[autodiff_reverse(r#yield, Active, Active, Active)]
fn r#try(r#type: f64, r#match: f64) -> f64 {
    r#type * r#match
}

#[autodiff_reverse(ableitung_größe, Active, Active)]
fn größe(wärme: f64) -> f64 {
    wärme.sqrt()
}

#[cfg(not(test))]
#[autodiff_reverse(d_configured, Active, Active)]
#[inline]
#[must_use]
fn configured(mut x: f64) -> f64 {
    x += 1.0;
    x * x
}

#[autodiff_reverse(d_callback, Const, Active, Active)]
fn callback(f: &(dyn Fn(f64) -> f64 + Sync), x: f64) -> f64 {
    let _ = f;
    x * x
}

pub fn report() {
    let both = unsafe { d_safe_no_more(3.0, 1.0) };
    show("d_safe_no_more", &[both.0, both.1], &[9.0, 6.0]);
    let mut by = 0.0;
    let both = d_foreign(3.0, &2.0, &mut by, 1.0);
    show("d_foreign", &[both.0, both.1, by], &[6.0, 2.0, 3.0]);
    let both = inner::deeper::d_deeper(4.0, 1.0);
    show("d_deeper", &[both.0, both.1], &[0.25, -0.0625]);
    let both = inner::deeper::t_deeper(4.0, 2.0);
    show("t_deeper", &[both.0, both.1], &[0.25, -0.125]);
    let both = d_cube(2.0, 1.0);
    show("d_cube", &[both.0, both.1], &[8.0, 12.0]);
    let both = d_inverse(2.0, 1.0);
    show("d_inverse", &[both.0, both.1], &[0.5, -0.25]);
    let three = r#yield(2.0, 5.0, 1.0);
    show("yield", &[three.0, three.1, three.2], &[10.0, 5.0, 2.0]);
    let both = ableitung_größe(4.0, 1.0);
    show("ableitung_größe", &[both.0, both.1], &[2.0, 0.25]);
    let both = d_configured(2.0, 1.0);
    show("d_configured", &[both.0, both.1], &[9.0, 6.0]);
    let both = d_callback(&f64::sin, 3.0, 1.0);
    show("d_callback", &[both.0, both.1], &[9.0, 6.0]);

    #[autodiff_reverse(d_local, Active, Active)]
    fn local(x: f64) -> f64 {
        x.ln()
    }
    let both = d_local(4.0, 1.0);
    show("d_local", &[both.0, both.1], &[4.0_f64.ln(), 0.25]);
}
