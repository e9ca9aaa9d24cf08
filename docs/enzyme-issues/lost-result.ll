; A call in one branch that can be left to the reverse sweep takes the store of the function's result with it
; (`legalCombinedForwardReverse`, EnzymeLogic.cpp): where the branch is not taken, the value is anything.
; Rust: a boxed error that is dropped on the way.
; First printed is whether the value is right.
; expected: 1 6 2
; Enzyme:   0 6 2

@x = internal global [2 x double] [double 3.0, double 1.0]
@dx = internal global [2 x double] zeroinitializer
@y = internal global double 0.0
@dy = internal global double 1.0
@line = private constant [4 x i8] c"%g \00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare void @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call void (...) @__enzyme_autodiff(ptr @shim, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, i64 2, ptr @enzyme_dup, ptr @y, ptr @dy)
  %y = load double, ptr @y
  %is_right = fcmp oeq double %y, 10.0
  %right = uitofp i1 %is_right to double
  call i32 (ptr, ...) @printf(ptr @line, double %right)
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

define void @shim(ptr noalias %x, i64 %n, ptr noalias %y) {
  %value = call double @f(ptr %x, i64 %n)
  store double %value, ptr %y
  ret void
}

; the sum of all squares; or the first number that is negative, and x[1] is its double then
define double @f(ptr %x, i64 %n) noinline {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %else ]
  %sum = phi double [ 0.0, %0 ], [ %more, %else ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %is_negative = fcmp olt double %value, 0.0
  br i1 %is_negative, label %negative, label %else
else:
  %square = fmul double %value, %value
  %more = fadd double %sum, %square
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
negative:
  call void @g(ptr %x)
  br label %out
out:
  %result = phi double [ %value, %negative ], [ %more, %else ]
  ret double %result
}

define void @g(ptr %x) noinline {
  %value = load double, ptr %x
  %double = fmul double %value, 2.0
  %place = getelementptr double, ptr %x, i64 1
  store double %double, ptr %place
  ret void
}
