; A cycle that is entered at two blocks is no natural loop (LLVM's LoopInfo has none), and Enzyme takes it to run once: each
; block keeps what it did last, and is gone back through once. Rust: the iterators of `chain` and `flat_map`.
; expected: 80
; Enzyme:   24

@line = private constant [4 x i8] c"%g\0A\00"

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main(i32 %argc, ptr %argv) {
  %n = sext i32 %argc to i64
  %begins = icmp ugt i64 %n, 7
  %dx = call double (...) @__enzyme_autodiff(ptr @f, double 2.0, i1 %begins, i64 %n)
  call i32 (ptr, ...) @printf(ptr @line, double %dx)
  ret i32 0
}

; n = 1, begins = false: x^5
define double @f(double %x, i1 %begins, i64 %n) {
  br i1 %begins, label %one, label %other
one:
  %p = phi double [ %x, %0 ], [ %s, %other ]
  %i = phi i64 [ 0, %0 ], [ %more, %other ]
  %q = fmul double %p, %x
  %is_last = icmp ugt i64 %i, %n
  br i1 %is_last, label %end, label %other
other:
  %r = phi double [ %x, %0 ], [ %q, %one ]
  %j = phi i64 [ 0, %0 ], [ %i, %one ]
  %s = fmul double %r, %x
  %more = add i64 %j, 1
  br label %one
end:
  ret double %q
}
