; A loop that goes on while `left >= k` is counted as one run.  `computeExitLimitFromICmp` (MustExitScalarEvolution.cpp) makes
; `k - 1` of `k` and says that this sum with -1 does not wrap (FlagNUW), which holds for no `k` but 0; for the signed
; comparison, `IsSigned` asks for SLE where SGE is meant.  Rust: `xs.windows(k)`, `xs.chunks_exact(k)`.
; expected: 2 4 6 8
; Enzyme:   0 0 0 8

@x = internal global [4 x double] [double 1.0, double 2.0, double 3.0, double 4.0]
@dx = internal global [4 x double] zeroinitializer
@line = private constant [4 x i8] c"%g \00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, i64 4)
  br label %prints
prints:
  %i = phi i32 [ 0, %0 ], [ %next, %prints ]
  %place = getelementptr double, ptr @dx, i32 %i
  %adjoint = load double, ptr %place
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, 4
  br i1 %done, label %out, label %prints
out:
  ret i32 0
}

; the sum of x[i] * x[i] for i in k .. n, downwards; k = min(n, 1) - 1
define double @f(ptr %x, i64 %n) {
  %k = call i64 @llvm.umin.i64(i64 %n, i64 1)
  br label %loop
loop:
  %left = phi i64 [ %n, %0 ], [ %less, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %less = sub i64 %left, 1
  %place = getelementptr double, ptr %x, i64 %less
  %value = load double, ptr %place
  %square = fmul double %value, %value
  %more = fadd double %sum, %square
  %on = icmp uge i64 %less, %k
  br i1 %on, label %loop, label %out
out:
  ret double %more
}

declare i64 @llvm.umin.i64(i64, i64)
