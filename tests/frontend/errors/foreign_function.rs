use autodiff::autodiff_reverse;

unsafe extern "C" {
    #[autodiff_reverse(d_gamma, Active, Active)]
    fn gamma(x: f64) -> f64;
//~    ^^^^^ a foreign function has no body that could be differentiated | help: differentiate a function that calls it, if its bitcode is in the program
}
