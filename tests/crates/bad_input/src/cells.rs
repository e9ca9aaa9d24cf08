//! Interior mutability of one thread.

use crate::tried;
use std::cell::{Cell, LazyCell, OnceCell, RefCell, UnsafeCell};
use std::rc::Rc;

tried! {
    cell(x) { let kept = Cell::new(x); kept.set(kept.get() * x); kept.get() } => x * x, 2.0 * x;
    replaced(x) { let kept = Cell::new(x); let old = kept.replace(x * x); old * kept.take() } => x * x * x, 3.0 * x * x;
    cells_of_a_slice(x) {
        let mut numbers = [x, 2.0, 3.0];
        let cells = Cell::from_mut(&mut numbers[..]).as_slice_of_cells();
        for i in 1..3 { cells[i].set(cells[i].get() * cells[i - 1].get()); }
        cells[2].get()
    } => 6.0 * x, 6.0;
    ref_cell(x) { let kept = RefCell::new(vec![x]); kept.borrow_mut().push(x * x); kept.borrow().iter().sum() }
        => x + x * x, 1.0 + 2.0 * x;
    shared(x) { let one = Rc::new(RefCell::new(x)); *Rc::clone(&one).borrow_mut() *= x; one.take() } => x * x, 2.0 * x;
    once_cell(x) { let kept = OnceCell::new(); kept.get_or_init(|| x * x) * kept.get().unwrap() } => x.powi(4), 4.0 * x.powi(3);
    lazy_cell(x) { let kept = LazyCell::new(|| x * x); *kept * *kept } => x.powi(4), 4.0 * x.powi(3);
    unsafe_cell(x) { let kept = UnsafeCell::new(x); unsafe { *kept.get() *= x; *kept.get() } } => x * x, 2.0 * x;
}
