; A loop in which nothing has a derivative, and which cannot be counted before it runs, is gone through once in the reverse
; sweep, as if it had run once (`assumeDynamicLoopOfSizeOne`, GradientUtils.cpp): by the way out of its last run, with what was
; kept in its first.  What a loop in it keeps is freed there; if the first run did not come by that one, whatever lay in the
; memory is freed.  What was kept in the other runs is never freed.
; Rust: `while let Some(_) = all.next() { all.next(); }` in a loop over `step_by(3)`, where nobody wants to know the numbers.
; expected: 6
; Enzyme:   the program dies

@x = internal global double 3.0
@dx = internal global double 0.0
@y = internal global double 0.0
@dy = internal global double 1.0
@line = private constant [3 x i8] c"%g\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare void @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)

define i32 @main() {
  %one = call ptr @malloc(i64 16) ; memory that is not empty any more
  %two = call ptr @malloc(i64 16)
  store volatile i64 -1, ptr %one
  store volatile i64 -1, ptr %two
  call void @free(ptr %one)
  call void @free(ptr %two)
  call void (...) @__enzyme_autodiff(ptr @shim, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, i64 5, ptr @enzyme_dup, ptr @y, ptr @dy)
  %adjoint = load double, ptr @dx
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  ret i32 0
}

; x * x, after loops of no effect
define void @shim(ptr noalias %x, i64 %n, ptr noalias %y) {
  br label %outer
outer:
  %left = phi i64 [ %n, %0 ], [ %rest, %latch ]
  %is_many = icmp ugt i64 %left, 3
  br i1 %is_many, label %skips, label %inner
skips:
  %one_less = add i64 %left, -1
  br label %latch
inner:
  %i = phi i64 [ 0, %outer ], [ %next, %again ]
  %by_two = add i64 %i, 2
  %is_more = icmp ugt i64 %i, 5
  br i1 %is_more, label %asks, label %again
asks:
  %by_one = add i64 %i, 1
  %is_over = icmp ugt i64 %i, 8
  br i1 %is_over, label %after, label %again
again:
  %next = phi i64 [ %by_one, %asks ], [ %by_two, %inner ]
  br label %inner
after:
  %is_last = icmp ult i64 %left, 2
  br i1 %is_last, label %out, label %less
less:
  %two_less = add i64 %left, -2
  br label %latch
latch:
  %rest = phi i64 [ %one_less, %skips ], [ %two_less, %less ]
  br label %outer
out:
  %value = load double, ptr %x
  %square = fmul double %value, %value
  store double %square, ptr %y
  ret void
}
