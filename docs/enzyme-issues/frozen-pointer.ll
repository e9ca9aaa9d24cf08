; The shadow of a pointer that is loaded and then frozen is not kept: Enzyme asks who uses it, and of a `freeze` says that it does
; not (its rule of `Freeze`, InstructionDerivatives.td, as `is_use_directly_needed_in_reverse` has it).  In the reverse sweep it is
; loaded again, from where the next pointer is by then.  In a function that is differentiated as a whole, the block that loads
; the pointer may use it, too: "Erased value with a use".
; Rust: `for (x, y) in all.iter().zip(all)`, not optimised by rustc, which would say that the pointer is defined.
; expected: 30 9
; Enzyme:   0 39

@x = internal global [2 x double] [double 3.0, double 5.0]
@dx = internal global [2 x double] zeroinitializer
@left = internal global ptr @x
@dleft = internal global ptr @dx
@y = internal global double 0.0
@dy = internal global double 1.0
@line = private constant [4 x i8] c"%g \00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare void @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call void (...) @__enzyme_autodiff(ptr @shim, ptr @enzyme_dup, ptr @left, ptr @dleft, ptr @enzyme_const, i64 2, ptr @enzyme_dup, ptr @y, ptr @dy)
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

; x[0] * x[0] * x[1]
define void @shim(ptr noalias %left, i64 %n, ptr noalias %y) {
  %square = call double @square_of_next(ptr %left, i64 %n)
  %second = load ptr, ptr %left
  %value = load double, ptr %second
  %product = fmul double %square, %value
  store double %product, ptr %y
  ret void
}

; the square of the first number, which is left out from now on; 1 where there is none
define double @square_of_next(ptr %left, i64 %n) noinline {
  %loaded = load ptr, ptr %left
  %first = freeze ptr %loaded
  %is_empty = icmp eq i64 %n, 0
  br i1 %is_empty, label %out, label %some
some:
  %value = load double, ptr %first
  %square = fmul double %value, %value
  %second = getelementptr double, ptr %first, i64 1
  store ptr %second, ptr %left
  br label %out
out:
  %result = phi double [ 1.0, %0 ], [ %square, %some ]
  ret double %result
}
