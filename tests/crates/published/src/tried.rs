//! Functions of a slice, each differentiated in both modes, and what their derivatives should be.

/// Functions with the numbers they are tried at; behind an arrow, where there is one, the gradient in closed form.
#[macro_export]
macro_rules! tried {
    ($($name:ident($x:ident: $input:expr) $body:block $(=> $gradient:expr)?;)*) => {
        $(#[cfg(not(feature = "refused"))]
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[autodiff::autodiff_reverse(reverse, Duplicated, Active)]
            #[autodiff::autodiff_forward(forward, Dual, Dual)]
            fn primal($x: &[f64]) -> f64 $body

            pub fn report() {
                let $x = &std::hint::black_box($input)[..];
                #[allow(unused_mut, unused_assignments)]
                let mut right = None;
                $(right = Some($gradient.to_vec());)?
                $crate::tried::Case { name: module_path!(), x: $x, primal: &primal, right }
                    .in_reverse(&reverse)
                    .in_forward_mode(&forward);
            }
        })*

        #[cfg(not(feature = "refused"))]
        pub fn report() {
            $($name::report();)*
        }
    };
}

/// Functions that are refused in both modes.
#[macro_export]
macro_rules! refused {
    ($($name:ident($x:ident: $input:expr) $body:block $(=> $gradient:expr)?;)*) => {
        $(#[cfg(feature = "refused")]
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[autodiff::autodiff_reverse(reverse, Duplicated, Active)]
            #[autodiff::autodiff_forward(forward, Dual, Dual)]
            fn primal($x: &[f64]) -> f64 $body

            pub fn report() {
                let $x = &std::hint::black_box($input)[..];
                println!("{:?} {:?}", reverse($x, &mut $x.to_vec(), 1.0), forward($x, $x));
            }
        })*

        #[cfg(feature = "refused")]
        pub fn report_of_refused() {
            $($name::report();)*
        }
    };
}

/// A function at some numbers, and what is right of it.
pub struct Case<'a> {
    pub name: &'a str,
    pub x: &'a [f64],
    pub primal: &'a dyn Fn(&[f64]) -> f64,
    /// The gradient in closed form; where there is none, differences are taken.
    pub right: Option<Vec<f64>>,
}

impl Case<'_> {
    pub fn in_reverse(&self, of: &dyn Fn(&[f64], &mut [f64], f64) -> f64) -> &Self {
        let mut gradient = vec![0.0; self.x.len()];
        let value = of(self.x, &mut gradient, 1.0);
        self.show("reverse", value, &gradient)
    }

    pub fn in_forward_mode(&self, of: &dyn Fn(&[f64], &[f64]) -> (f64, f64)) -> &Self {
        let along = |at| (0..self.x.len()).map(|i| f64::from(u8::from(i == at))).collect::<Vec<_>>();
        let (values, slopes): (Vec<_>, Vec<_>) = (0..self.x.len()).map(|at| of(self.x, &along(at))).unzip();
        self.show("forward", values[0], &slopes)
    }

    fn show(&self, mode: &str, value: f64, gradient: &[f64]) -> &Self {
        let (name, by) = (self.name, if self.right.is_some() { "closed form" } else { "differences" });
        let right = self.right.clone().unwrap_or_else(|| self.differences());
        let (got, right) = ([&[value], gradient].concat(), [&[(self.primal)(self.x)], &right[..]].concat());
        println!(r#"{{"case": "{name} {mode}", "by": "{by}", "got": {got:?}, "right": {right:?}}}"#);
        self
    }

    /// Central differences of eighth order.
    fn differences(&self) -> Vec<f64> {
        const STEP: f64 = 5e-3;
        const WEIGHTS: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
        let moved = |at: usize, by: f64| {
            let mut x = self.x.to_vec();
            x[at] += by * STEP;
            (self.primal)(&x)
        };
        let slope =
            |at| WEIGHTS.iter().zip(1..).map(|(w, k)| w * (moved(at, k.into()) - moved(at, (-k).into()))).sum::<f64>();
        (0..self.x.len()).map(|at| slope(at) / STEP).collect()
    }
}
