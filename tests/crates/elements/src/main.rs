//! Elements that hold floats beside other things; as in `../bodies`.

#[path = "../../bodies/src/dual.rs"]
mod dual;

mod elements;

fn main() {
    elements::report(&[1.5, -0.5, 2.5, 3.5, 0.75, -1.0, 1.25, 0.3, 2.2, -0.1, 1.1, 0.9, 4.4]);
}
