//! Binaries of the package, started: those with derivatives in them, of the same config as this test.

use std::env;
use std::path::Path;
use std::process::Command;

#[test]
fn by_the_path_that_is_compiled_in() {
    let ended = Command::new(env!("CARGO_BIN_EXE_arguments")).args(["one", "two"]).status().unwrap();
    assert_eq!(ended.code(), Some(2));
}

#[test]
fn by_the_path_that_is_told() {
    let app = env::var("CARGO_BIN_EXE_app").unwrap();
    assert!(Command::new(&app).status().unwrap().success());
    assert_eq!(app, env!("CARGO_BIN_EXE_app"));
}

#[test]
fn it_is_of_the_same_config() {
    let tests = env::current_exe().unwrap();
    assert_eq!(Path::new(env!("CARGO_BIN_EXE_app")).parent(), tests.parent().unwrap().parent());
}
