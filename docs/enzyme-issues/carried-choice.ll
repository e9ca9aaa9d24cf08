; Of `p = if c { p } else { x }` in a loop, a header's phi and a select of it, reverse mode follows the last choice alone
; (`createSelectInstAdjoint`, AdjointGenerator.h): right for what `p` is in the end, not where the loop itself uses `p`.
; Rust: a running maximum.
; expected: 1 2 0 1
; Enzyme:   0 0 0 1

@x = internal global [4 x double] [double 1.0, double 3.0, double 2.0, double 4.0]
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

; the sum over i of (the largest of x[0] .. x[i])
define double @f(ptr %x, i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %best = phi double [ 0.0, %0 ], [ %better, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %is_less = fcmp olt double %value, %best
  %better = select i1 %is_less, double %best, double %value
  %more = fadd double %sum, %better
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret double %more
}
