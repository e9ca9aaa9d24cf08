; A loop begins each run with an address that is computed, in the run before, of where its inner loop ended.  In the inner loop's
; reverse sweep Enzyme computes that address again of the run before, but with the inner loop's count as it is there, not as it
; ended (`prevAvailable` in `unwrapM`, GradientUtils.cpp: only what comes to the phi from the inner loop itself is taken for its
; last value, not what is computed of that).  Rust: `for x in &row` over an array, with a `continue` that LLVM makes a loop of.
; expected: 4 -2 6 10
; Enzyme:   4 -4 0 10

@a = internal global [4 x double] [double 2.0, double -1.0, double 3.0, double 5.0]
@da = internal global [4 x double] zeroinitializer
@line = private constant [13 x i8] c"%g %g %g %g\0A\00"
@enzyme_dup = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @a, ptr @da)
  %d0 = load double, ptr @da
  %d1 = load double, ptr getelementptr (double, ptr @da, i64 1)
  %d2 = load double, ptr getelementptr (double, ptr @da, i64 2)
  %d3 = load double, ptr getelementptr (double, ptr @da, i64 3)
  call i32 (ptr, ...) @printf(ptr @line, double %d0, double %d1, double %d2, double %d3)
  ret i32 0
}

; the sum of all a[i]^2, in parts of which each ends with a number below 0
define double @f(ptr noalias %a) {
entry:
  br label %outer

outer:
  %p = phi ptr [ %a, %entry ], [ %p.next, %outer.latch ]
  %at = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  %sum = phi double [ 0.0, %entry ], [ %sum.next, %outer.latch ]
  br label %inner

inner:
  %i = phi i64 [ %at, %outer ], [ %i.next, %inner.latch ]
  %q = phi ptr [ %p, %outer ], [ %q.next, %inner.latch ]
  %more = phi double [ %sum, %outer ], [ %sum.next, %inner.latch ]
  %x = load double, ptr %q
  %square = fmul double %x, %x
  %sum.next = fadd double %more, %square
  %i.next = add nuw nsw i64 %i, 8
  %ends.part = fcmp olt double %x, 0.0
  br i1 %ends.part, label %outer.latch, label %inner.latch

inner.latch:
  %q.next = getelementptr inbounds nuw i8, ptr %a, i64 %i.next
  %ends = icmp eq i64 %i.next, 32
  br i1 %ends, label %exit, label %inner

outer.latch:
  %p.next = getelementptr inbounds nuw i8, ptr %a, i64 %i.next
  %over = icmp eq i64 %i.next, 32
  br i1 %over, label %exit, label %outer

exit:
  ret double %sum.next
}
