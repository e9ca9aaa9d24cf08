use crate::dual::Number;

pub fn boxed_list<T: Number>(xs: &[T], _k: usize) -> T {
    enum L<T> {
        Nil,
        Cons(T, Box<L<T>>),
    }
    fn sum<T: Number>(l: &L<T>) -> T {
        match l {
            L::Nil => T::from(1.0),
            L::Cons(x, r) => *x * *x + sum(r) * *x,
        }
    }
    let mut l = L::Nil;
    for &x in xs {
        l = L::Cons(x, Box::new(l));
    }
    sum(&l)
}

pub fn search_tree<T: Number>(xs: &[T], _k: usize) -> T {
    struct N<T> {
        v: T,
        l: Option<Box<N<T>>>,
        r: Option<Box<N<T>>>,
    }
    fn ins<T: Number>(n: Option<Box<N<T>>>, x: T) -> Option<Box<N<T>>> {
        match n {
            None => Some(Box::new(N { v: x, l: None, r: None })),
            Some(mut b) => {
                if x < b.v {
                    b.l = ins(b.l.take(), x);
                } else {
                    b.r = ins(b.r.take(), x);
                }
                Some(b)
            }
        }
    }
    fn sum<T: Number>(n: &Option<Box<N<T>>>, d: f64) -> T {
        match n {
            None => T::from(0.0),
            Some(b) => b.v * b.v * d + sum(&b.l, d + 1.0) + sum(&b.r, d * 2.0),
        }
    }
    let mut t = None;
    for &x in xs {
        t = ins(t, x);
    }
    sum(&t, 1.0)
}

pub fn rc_refcell<T: Number>(xs: &[T], _k: usize) -> T {
    use std::{cell::RefCell, rc::Rc};
    let s = Rc::new(RefCell::new(T::from(1.0)));
    let t = s.clone();
    for &x in xs {
        let old = *s.borrow();
        *t.borrow_mut() = old * 0.5 + x * x;
    }
    let r = *s.borrow();
    r
}

pub fn shared_slice<T: Number>(xs: &[T], _k: usize) -> T {
    let a: std::sync::Arc<[T]> = xs.iter().map(|&x| x * x).collect::<Vec<_>>().into();
    let b = a.clone();
    a.iter().zip(b.iter()).map(|(&x, &y)| x * y).sum()
}

pub fn leapfrog_structs<T: Number>(xs: &[T], _k: usize) -> T {
    #[derive(Clone)]
    struct P<T> {
        x: T,
        v: T,
        tag: u8,
    }
    let mut ps: Vec<P<T>> = xs.iter().map(|&x| P { x, v: T::from(0.1), tag: 3 }).collect();
    for _ in 0..4 {
        for p in ps.iter_mut() {
            p.v = p.v + p.x * -0.1;
            p.x = p.x + p.v * 0.5;
        }
    }
    ps.iter().map(|p| p.x * p.x * (p.tag as f64)).sum()
}

pub fn dyn_shapes<T: Number>(xs: &[T], _k: usize) -> T {
    trait S<T> {
        fn a(&self) -> T;
    }
    struct C<T>(T);
    struct R<T>(T, T);
    impl<T: Number> S<T> for C<T> {
        fn a(&self) -> T {
            self.0 * self.0 * 3.0
        }
    }
    impl<T: Number> S<T> for R<T> {
        fn a(&self) -> T {
            self.0 * self.1
        }
    }
    let mut v: Vec<Box<dyn S<T>>> = Vec::new();
    for (i, &x) in xs.iter().enumerate() {
        if i % 2 == 0 {
            v.push(Box::new(C(x)));
        } else {
            v.push(Box::new(R(x, x * 2.0)));
        }
    }
    v.iter().map(|s| s.a()).sum()
}
