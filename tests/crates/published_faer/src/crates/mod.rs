mod faer;

#[cfg(not(feature = "refused"))]
pub fn report() {
    faer::report();
}

#[cfg(feature = "refused")]
pub fn report() {
    faer::report_of_refused();
}
