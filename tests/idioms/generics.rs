use crate::dual::Number;

pub fn generic_trait<T: Number>(xs: &[T], _k: usize) -> T {
    trait Act<T> {
        fn act(&self, x: T) -> T;
    }
    struct Sq;
    struct Lin(f64);
    impl<T: Number> Act<T> for Sq {
        fn act(&self, x: T) -> T {
            x * x
        }
    }
    impl<T: Number> Act<T> for Lin {
        fn act(&self, x: T) -> T {
            x * self.0 + 1.0
        }
    }
    fn net<T: Number, A: Act<T>, B: Act<T>>(x: T, a: A, b: B) -> T {
        b.act(a.act(x))
    }
    xs.iter().map(|&x| net(x, Sq, Lin(0.3))).sum()
}

pub fn const_generic<T: Number>(xs: &[T], _k: usize) -> T {
    struct M<T, const N: usize>([[T; N]; N]);
    impl<T: Number, const N: usize> M<T, N> {
        fn mul(&self, v: [T; N]) -> [T; N] {
            std::array::from_fn(|i| (0..N).map(|j| self.0[i][j] * v[j]).sum())
        }
    }
    let mut v = [T::from(1.0), T::from(0.5), T::from(0.2)];
    for &x in xs {
        let m = M([
            [x, T::from(0.1), T::from(0.0)],
            [T::from(0.2), x * 0.5, T::from(0.1)],
            [T::from(0.3), T::from(0.0), x * x * 0.1],
        ]);
        v = m.mul(v);
    }
    v[0] + v[1] * v[2]
}
