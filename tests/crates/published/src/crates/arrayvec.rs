//! Pushed, popped, inserted, removed, drained, collected

use crate::tried;
use arrayvec::ArrayVec;

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];

fn weighed(v: &[f64]) -> f64 {
    v.iter().enumerate().map(|(i, x)| (i + 1) as f64 * x * x).sum()
}

tried! {
    pushed(x: SIX) {
        let mut v = ArrayVec::<f64, 8>::new();
        for &x in x {
            v.push(x * x);
        }
        v.iter().sum()
    } => x.iter().map(|x| 2.0 * x).collect::<Vec<_>>();
    pushed_until_it_is_full(x: SIX) {
        let mut v = ArrayVec::<f64, 4>::new();
        let mut rest = 0.0;
        for &x in x {
            if let Err(full) = v.try_push(x * x) {
                rest += full.element() * x;
            }
        }
        weighed(&v) + rest
    };
    popped(x: SIX) {
        let mut v = ArrayVec::<f64, 8>::new();
        for &x in x {
            v.push(x);
            if x < 0.0 {
                let (last, before) = (v.pop().unwrap(), v.pop().unwrap());
                v.push(last * before);
            }
        }
        weighed(&v)
    };
    inserted_and_removed(x: SIX) {
        let mut v: ArrayVec<f64, 8> = x.iter().copied().collect();
        let removed = v.remove(1);
        v.insert(3, removed * removed);
        v.swap_remove(0);
        weighed(&v)
    };
    drained(x: SIX) {
        let mut v: ArrayVec<f64, 8> = x.iter().map(|x| x.exp()).collect();
        let drained: f64 = v.drain(1..3).map(|x| x * x).sum();
        drained + weighed(&v)
    };
    retained_and_made_an_array(x: SIX) {
        let mut v: ArrayVec<f64, 4> = ArrayVec::new();
        v.try_extend_from_slice(&x[..4]).unwrap();
        let whole: [f64; 4] = v.clone().into_inner().unwrap();
        v.retain(|x| *x > 0.0);
        weighed(&v) + whole[1] * whole[3]
    };
}
