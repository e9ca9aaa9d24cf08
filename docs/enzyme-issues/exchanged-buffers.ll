; A loop reads one place and writes another, and the next run has them exchanged.  Whether the write meets the read is asked of
; alias analysis first (`writesToMemoryReadBy` in Utils.cpp), which takes two choices by pairs, and answers for one and the same
; run: what is read is taken to be there to the end, and read again.  Rust: `(p, c) = (c, p)` of references in a loop, and
; `let (p, c) = if i % 2 == 0 { (&a, &mut b) } else { (&b, &mut a) };`.
; expected: 1024
; Enzyme:   524288

@u = internal global double 2.0
@v = internal global double 0.0
@du = internal global double 0.0
@dv = internal global double 0.0
@enzyme_dup = external global i32
@enzyme_const = external global i32
@line = private constant [4 x i8] c"%g\0A\00"

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @u, ptr @du, ptr @enzyme_dup, ptr @v, ptr @dv, ptr @enzyme_const, i64 3)
  %d = load double, ptr @du
  call i32 (ptr, ...) @printf(ptr @line, double %d)
  ret i32 0
}

; what stands in u at first, squared n times
define double @f(ptr noalias %u, ptr noalias %v, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %i.next = add nuw nsw i64 %i, 1
  %bit = and i64 %i, 1
  %is_even = icmp eq i64 %bit, 0
  %from = select i1 %is_even, ptr %u, ptr %v
  %to = select i1 %is_even, ptr %v, ptr %u
  %value = load double, ptr %from
  %square = fmul double %value, %value
  store double %square, ptr %to
  %ends = icmp eq i64 %i.next, %n
  br i1 %ends, label %exit, label %loop

exit:
  %result = load double, ptr %to
  ret double %result
}
