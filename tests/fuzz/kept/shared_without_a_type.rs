// A list of shared nodes behind pointers that say nothing of what they lead to, as archery has them, taken apart in forward
// mode where reverse mode is asked for, too: what is left of a node is moved as an integer.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::rc::Rc;

struct Untyped(*const ());

impl Untyped {
    fn take<T>(self) -> Rc<T> {
        unsafe { Rc::from_raw(self.0.cast::<T>()) }
    }

    fn unwrap<T>(self) -> Result<T, Untyped> {
        Rc::try_unwrap(self.take::<T>()).map_err(|shared| Untyped(Rc::into_raw(shared).cast()))
    }
}

struct Shared<T>(ManuallyDrop<Untyped>, PhantomData<T>);

impl<T> Shared<T> {
    fn new(value: T) -> Self {
        Self::of(Untyped(Rc::into_raw(Rc::new(value)).cast()))
    }

    fn of(untyped: Untyped) -> Self {
        Self(ManuallyDrop::new(untyped), PhantomData)
    }

    fn unwrap(mut self) -> Result<T, Self> {
        let untyped = unsafe { ManuallyDrop::take(&mut self.0) };
        std::mem::forget(self);
        untyped.unwrap::<T>().map_err(Self::of)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        let shared = ManuallyDrop::new(unsafe { Rc::from_raw(self.0.0.cast::<T>()) });
        Self::of(Untyped(Rc::into_raw(Rc::clone(&shared)).cast()))
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        drop(unsafe { ManuallyDrop::take(&mut self.0) }.take::<T>());
    }
}

impl<T> std::ops::Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        unsafe { &*self.0.0.cast::<T>() }
    }
}

struct Node<T> {
    value: Shared<T>,
    next: Option<Shared<Node<T>>>,
}

struct List<T> {
    head: Option<Shared<Node<T>>>,
    last: Option<Shared<T>>,
    length: usize,
}

impl<T> List<T> {
    fn push(&mut self, value: T) {
        let value = Shared::new(value);
        if self.length == 0 {
            self.last = Some(value.clone());
        }
        self.head = Some(Shared::new(Node { value, next: self.head.take() }));
        self.length += 1;
    }

    fn rest(&self) -> List<T> {
        let mut rest = List { head: self.head.clone(), last: self.last.clone(), length: self.length };
        if let Some(first) = rest.head.take() {
            rest.head.clone_from(&first.next);
            rest.length -= 1;
        }
        rest
    }
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        let mut head = self.head.take();
        while let Some(node) = head {
            match node.unwrap() {
                Ok(mut node) => head = node.next.take(),
                _ => break,
            }
        }
    }
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut list = List { head: None, last: None, length: k % 2 };
    for &x in xs {
        list.push(x * x);
    }
    let rest = list.rest();
    let (mut one, mut other, mut sum) = (&list.head, &rest.head, xs[0]);
    while let (Some(here), Some(there)) = (one, other) {
        sum = sum + *here.value * *there.value;
        (one, other) = (&here.next, &there.next);
    }
    sum
}
