; A float that comes to a phi by several cases of a `switch` from one block counts for each of them.
; Rust: `match` arms that share a block.
; expected: 6 0
; Enzyme:   12 0

@x = internal global [2 x double] [double 3.0, double 1.0]
@dx = internal global [2 x double] zeroinitializer
@line = private constant [4 x i8] c"%g \00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, i64 2)
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

; x[0] * x[0], whatever n is, by way of a switch two cases of which lead to one block
define double @f(ptr %x, i64 %n) {
  %value = load double, ptr %x
  %square = fmul double %value, %value
  switch i64 %n, label %other [
    i64 1, label %out
    i64 2, label %out
  ]
other:
  br label %out
out:
  %result = phi double [ %square, %0 ], [ %square, %0 ], [ 0.0, %other ]
  ret double %result
}
