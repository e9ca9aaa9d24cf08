mod inactive_functions {
    use autodiff::inactive;

    #[inactive(x)]
//~            ^ `inactive` takes no arguments | help: write `#[inactive]`
    fn f() {}

    #[inactive]
    const fn g() {}
//~ ^^^^^ a `const` function cannot be inactive | help: leave `const` away

    #[inactive]
    async fn h() {}
//~ ^^^^^ an `async` function cannot be inactive | help: put it on a function with a body

    #[inactive]
    #[inline]
//~ ^ an inactive function is never inlined | help: leave this away
    fn i() {}

    #[inactive]
    struct S;
//~ ^^^^^^ `inactive` is for functions | help: put it on a function with a body
}
