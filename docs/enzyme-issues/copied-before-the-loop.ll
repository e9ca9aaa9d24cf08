; What an outer loop reads is copied into the cache as a whole before the loop, if nothing in it writes there: but whether a
; write may meet the read is asked of alias analysis, which answers for one and the same run of the loop.  A later run reads
; what this one writes (`EnzymeLoopInvariantCache` in `lookupM`, GradientUtils.cpp).  Rust: solving by a triangular matrix,
; `for i in 0..n { let x = b[i]; for b in &mut b[i + 1..] { .. } }`, as nalgebra's `lu().solve(..)`.
; expected: 60 20 12
; Enzyme:   45 20 6

@b = internal global [3 x double] [double 2.0, double 3.0, double 5.0]
@db = internal global [3 x double] zeroinitializer
@line = private constant [10 x i8] c"%g %g %g\0A\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @b, ptr @db, ptr @enzyme_const, i64 3)
  %d0 = load double, ptr @db
  %d1 = load double, ptr getelementptr (double, ptr @db, i64 1)
  %d2 = load double, ptr getelementptr (double, ptr @db, i64 2)
  call i32 (ptr, ...) @printf(ptr @line, double %d0, double %d1, double %d2)
  ret i32 0
}

; b[i + 1 + k] *= b[i] for all i and k; then the last, and what was read is written over
define double @f(ptr noalias %b, i64 %n) {
entry:
  %last = add nsw i64 %n, -1
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  %i.next = add nuw nsw i64 %i, 1
  %here = getelementptr double, ptr %b, i64 %i
  %by = load double, ptr %here
  %rest = getelementptr double, ptr %b, i64 %i.next
  %length = sub nsw i64 %n, %i.next
  br label %inner

inner:
  %k = phi i64 [ 0, %outer ], [ %k.next, %inner ]
  %k.next = add nuw nsw i64 %k, 1
  %place = getelementptr inbounds nuw double, ptr %rest, i64 %k
  %old = load double, ptr %place
  %new = fmul double %old, %by
  store double %new, ptr %place
  %inner.ends = icmp eq i64 %k.next, %length
  br i1 %inner.ends, label %outer.latch, label %inner

outer.latch:
  %outer.ends = icmp eq i64 %i.next, %last
  br i1 %outer.ends, label %exit, label %outer

exit:
  %there = getelementptr double, ptr %b, i64 %last
  %result = load double, ptr %there
  %second = getelementptr double, ptr %b, i64 1
  store double 0.0, ptr %second
  ret double %result
}
