; With runtime activity the adjoint of a store compares the pointer with its shadow, and the adjoint of a function that only
; writes by that pointer is given nothing in its place: `writeOnlyNoCapture` in `visitCallInst` (AdjointGenerator.h) makes it
; undef, whether runtime activity is asked for or not.  LLVM then takes the two for equal, and the adjoint is lost.  Rust: a
; function that is not inlined and writes its result by a `&mut`, as copies of `Vec<(f64, usize)>` do.
; expected: 27
; Enzyme:   9

@x = internal global double 3.0
@dx = internal global double 0.0
@line = private constant [3 x i8] c"%g\00"
@enzyme_dup = external global i32
@enzyme_runtime_activity = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_runtime_activity, ptr @enzyme_dup, ptr @x, ptr @dx)
  %adjoint = load double, ptr @dx
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  ret i32 0
}

; x * x * x
define double @f(ptr %x) {
  %place = alloca double
  call void @square(ptr %place, ptr %x)
  %square = load double, ptr %place
  %value = load double, ptr %x
  %cube = fmul double %square, %value
  ret double %cube
}

define internal void @square(ptr %to, ptr %x) noinline {
  %value = load double, ptr %x
  %square = fmul double %value, %value
  store double %square, ptr %to
  ret void
}
