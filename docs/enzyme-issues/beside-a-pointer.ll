; Of a float that is returned beside a pointer the adjoint is lost, in reverse mode: what has a shadow is a pair, for Enzyme, and
; of the pair the pointer's shadow alone is there (the adjoint of a result is a float, or none).
; Rust: an `#[inline(never)]` function, or one that calls itself, that returns `(f64, &f64)`, or a struct of an `f64` and a `Box`.
; expected: 27
; Enzyme:   9

@x = internal global double 3.0
@dx = internal global double 0.0
@line = private constant [3 x i8] c"%g\00"
@enzyme_dup = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @cube, ptr @enzyme_dup, ptr @x, ptr @dx)
  %adjoint = load double, ptr @dx
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  ret i32 0
}

define double @cube(ptr noalias %x) {
  %pair = call { double, ptr } @square(ptr %x)
  %square = extractvalue { double, ptr } %pair, 0
  %place = extractvalue { double, ptr } %pair, 1
  %factor = load double, ptr %place
  %cube = fmul double %square, %factor
  ret double %cube
}

define internal { double, ptr } @square(ptr %x) noinline {
  %value = load double, ptr %x
  %square = fmul double %value, %value
  %first = insertvalue { double, ptr } poison, double %square, 0
  %pair = insertvalue { double, ptr } %first, ptr %x, 1
  ret { double, ptr } %pair
}
