; A loop reads ahead what its next run writes over.  Whether a write meets a read is asked of alias analysis first
; (`writesToMemoryReadBy` in Utils.cpp), which answers for one and the same run: what is read is taken to be there to the end,
; and read again.  Rust: `for i in 0..n - 1 { b[i] = b[i] * b[i + 1]; }`, and each sweep over a grid in place.
; expected: 0 6 10
; Enzyme:   0 0 10

@a = internal global [3 x double] [double 2.0, double 3.0, double 5.0]
@da = internal global [3 x double] zeroinitializer
@line = private constant [10 x i8] c"%g %g %g\0A\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @a, ptr @da, ptr @enzyme_const, i64 3)
  %d0 = load double, ptr @da
  %d1 = load double, ptr getelementptr (double, ptr @da, i64 1)
  %d2 = load double, ptr getelementptr (double, ptr @da, i64 2)
  call i32 (ptr, ...) @printf(ptr @line, double %d0, double %d1, double %d2)
  ret i32 0
}

; the sum of all squares but the first's; each is written over as soon as the next one is read
define double @f(ptr noalias %a, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %sum.next, %loop ]
  %i.next = add nuw nsw i64 %i, 1
  %ahead = getelementptr inbounds double, ptr %a, i64 %i.next
  %x = load double, ptr %ahead
  %square = fmul double %x, %x
  %sum.next = fadd double %sum, %square
  %here = getelementptr inbounds double, ptr %a, i64 %i
  store double 0.0, ptr %here
  %goes.on = add nuw nsw i64 %i, 2
  %ends = icmp eq i64 %goes.on, %n
  br i1 %ends, label %exit, label %loop

exit:
  ret double %sum.next
}
