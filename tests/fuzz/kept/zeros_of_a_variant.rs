// `Leaf(0.0)` is zeros, of which Enzyme wants to know what they are: by them it is a leaf.  It was refused.
enum Tree<T> {
    Leaf(T),
    Split { at: usize, below: Box<Tree<T>>, above: Box<Tree<T>> },
}

impl<T: Number> Tree<T> {
    fn sum(&self, x: T) -> T {
        match self {
            Tree::Leaf(value) => *value * *value,
            Tree::Split { at, below, .. } if at % 2 == 0 => below.sum(x) * x,
            Tree::Split { below, above, .. } => above.sum(x) + below.sum(x),
        }
    }
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut trees: Vec<Tree<T>> = xs.iter().map(|&x| Tree::Leaf(x)).collect();
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        let at = (i * k) % trees.len();
        let old = std::mem::replace(&mut trees[at], Tree::Leaf(T::from(0.0)));
        sum += old.sum(x);
        if i % 2 == 0 {
            trees[at] = Tree::Split { at: i / 2, below: Box::new(old), above: Box::new(Tree::Leaf(x)) };
        }
        sum += trees[at].sum(x);
    }
    sum
}
