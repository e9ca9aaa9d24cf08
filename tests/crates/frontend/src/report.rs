//! One line for each derivative: its name, what it gave, what is right.

/// Prints the line.
pub fn show(name: &str, got: &[f64], right: &[f64]) {
    println!(r#"{{"case": "{name}", "precision": "f64", "got": {got:?}, "right": {right:?}}}"#);
}

/// Prints the line of a derivative in single precision.
pub fn show_32(name: &str, got: &[f32], right: &[f32]) {
    println!(r#"{{"case": "{name}", "precision": "f32", "got": {got:?}, "right": {right:?}}}"#);
}

/// Prints the line of a derivative whose name is put together of two.
pub fn show_as(precision: &str, of: &str, what: &str, got: &[f64], right: &[f64]) {
    println!(r#"{{"case": "{of}{what}", "precision": "{precision}", "got": {got:?}, "right": {right:?}}}"#);
}
