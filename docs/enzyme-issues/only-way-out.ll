; How often an inner loop ran is kept at those of its exits alone from which the function can return without entering it again
; (`getContext`, CacheUtility.cpp): of an inner loop that is the only way out of the outer one it is kept too seldom.
; Rust: `for x in xs { if *x < 0.0 { continue } .. }`, of which LLVM makes two nested loops.
; expected: 2 0 4 0 0 6
; Enzyme:   the program dies

@x = internal global [6 x double] [double 1.0, double -1.0, double 2.0, double -1.0, double -1.0, double 3.0]
@dx = internal global [6 x double] zeroinitializer
@line = private constant [4 x i8] c"%g \00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, i64 6)
  br label %prints
prints:
  %i = phi i32 [ 0, %0 ], [ %next, %prints ]
  %place = getelementptr double, ptr @dx, i32 %i
  %adjoint = load double, ptr %place
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, 6
  br i1 %done, label %out, label %prints
out:
  ret i32 0
}

; the sum of x[i] * x[i] of those that are not negative
define double @f(ptr %x, i64 %n) {
  %end = getelementptr double, ptr %x, i64 %n
  br label %outer
outer:
  %p = phi ptr [ %x, %0 ], [ %next, %adds ]
  %sum = phi double [ 0.0, %0 ], [ %more, %adds ]
  br label %inner
inner:
  %q = phi ptr [ %p, %outer ], [ %next, %tests ]
  %done = icmp eq ptr %q, %end
  br i1 %done, label %out, label %tests
tests:
  %next = getelementptr inbounds i8, ptr %q, i64 8
  %value = load double, ptr %q
  %skips = fcmp olt double %value, 0.0
  br i1 %skips, label %inner, label %adds
adds:
  %square = fmul double %value, %value
  %more = fadd double %sum, %square
  br label %outer
out:
  ret double %sum
}
