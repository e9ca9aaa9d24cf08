; The larger of NaN and a number is the number, and its derivative should be the number's.  The rules of `maxnum` and `minnum`
; (InstructionDerivatives.td) ask `x < y`, which does not hold of NaN, and then take that of NaN.  Rust:
; `xs.iter().copied().fold(f64::NAN, f64::max)`.
; expected: 0 2
; Enzyme:   2 0

@x = internal global [2 x double] [double 0x7FF8000000000000, double 3.0]
@dx = internal global [2 x double] zeroinitializer
@line = private constant [4 x i8] c"%g \00"
@enzyme_dup = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @x, ptr @dx)
  br label %prints
prints:
  %i = phi i32 [ 0, %0 ], [ %next, %prints ]
  %place = getelementptr double, ptr @dx, i32 %i
  %adjoint = load double, ptr %place
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, 2
  br i1 %done, label %out, label %prints
out:
  ret i32 0
}

; twice the larger of x[0] and x[1]
define double @f(ptr %x) {
  %first = load double, ptr %x
  %place = getelementptr double, ptr %x, i64 1
  %second = load double, ptr %place
  %larger = call double @llvm.maxnum.f64(double %first, double %second)
  %twice = fmul double %larger, 2.0
  ret double %twice
}

declare double @llvm.maxnum.f64(double, double)
