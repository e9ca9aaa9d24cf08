; Of three ways that come together the second and the third are told apart by a branch that the third need not have passed: by
; the condition of a branch after a loop, where the loop was passed by.  `branchToCorrespondingTarget` (GradientUtils.cpp) looks
; at what leads to that branch, and no further back ("TODO verify this").  Rust: the last element of what was collected, of one
; element or of more.
; expected: 12 0
; Enzyme:   the program dies

@x = internal global [2 x double] [double 3.0, double 5.0]
@dx = internal global [2 x double] zeroinitializer
@line = private constant [7 x i8] c"%g %g\0A\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main(i32 %argc, ptr %argv) {
  %n = sext i32 %argc to i64
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, i64 %n)
  %first = load double, ptr @dx
  %second = load double, ptr getelementptr (double, ptr @dx, i64 1)
  call i32 (ptr, ...) @printf(ptr @line, double %first, double %second)
  ret i32 0
}

; n = 1: twice the square of x[0]
define double @f(ptr %x, i64 %n) {
  %x0 = load double, ptr %x
  %none = icmp eq i64 %n, 0
  br i1 %none, label %join, label %some
some:
  %square = fmul double %x0, %x0
  %one = icmp eq i64 %n, 1
  br i1 %one, label %middle, label %loop
loop:
  %i = phi i64 [ 1, %some ], [ %next, %loop ]
  %product = phi double [ %square, %some ], [ %more, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %more = fmul double %product, %value
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %second, label %loop
second:
  %is_small = fcmp ole double %value, 2.0
  br i1 %is_small, label %middle, label %join
middle:
  %either = phi double [ %more, %second ], [ %square, %some ]
  %twice = fmul double %either, 2.0
  br label %join
join:
  %result = phi double [ %x0, %0 ], [ %more, %second ], [ %twice, %middle ]
  ret double %result
}
