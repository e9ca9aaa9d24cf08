; A loop that goes on while `next < end` goes on until `next == end`: `CanonicalizeLatches` (CacheUtility.cpp) makes the one of
; the other for the only exit of a loop that counts by one, "valid since first time i+1 >= n occurs at i+1 == n", which it is
; not where `end` is another in every run: below, 1 < 6, 2 < 4, and 3 is past 2 without ever having been equal to it.  The loop
; itself runs too long, not only its reverse.  Rust: `while i < v.len()` where `v` loses elements.
; expected: 2 4 6 0
; Enzyme:   2 4 6 8

@x = internal global [4 x double] [double 1.0, double 2.0, double 3.0, double 4.0]
@dx = internal global [4 x double] zeroinitializer
@ends = internal global [4 x i64] [i64 6, i64 4, i64 2, i64 4]
@line = private constant [4 x i8] c"%g \00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

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
  %done = icmp eq i32 %next, 4
  br i1 %done, label %out, label %prints
out:
  ret i32 0
}

; the sum of x[i] * x[i] while i + 1 is below an end that is another in every run
define double @f(ptr %x) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %square = fmul double %value, %value
  %more = fadd double %sum, %square
  %next = add nuw nsw i64 %i, 1
  %at = getelementptr i64, ptr @ends, i64 %i
  %end = load i64, ptr %at
  %on = icmp ult i64 %next, %end
  br i1 %on, label %loop, label %out
out:
  ret double %more
}
