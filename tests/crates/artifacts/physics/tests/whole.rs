//! What is called here of the library is differentiated here.

use physics::{Law, d_stretched};

struct Cubic;

impl Law for Cubic {
    fn energy(stretch: f64) -> f64 {
        stretch * stretch * stretch
    }
}

#[test]
fn derivative_of_what_is_instantiated_here() {
    assert_eq!(d_stretched::<Cubic>(2.0, 1.0), (8.0, 12.0));
}

#[test]
fn runs_in_the_folder_of_its_package() {
    assert!(std::path::Path::new("tests/whole.rs").exists());
    assert!(std::env::var("CARGO_MANIFEST_DIR").unwrap().ends_with("physics"));
}

#[test]
#[should_panic = "as it should"]
fn panics() {
    panic!("as it should");
}

#[test]
#[ignore = "it fails"]
fn fails() {
    assert_eq!(d_stretched::<Cubic>(2.0, 1.0), (8.0, 13.0));
}
