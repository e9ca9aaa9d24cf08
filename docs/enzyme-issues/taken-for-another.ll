; Two loops read the same memory by the same steps and as often, and it is written over later.  What the first one read is in
; the cache, and is taken for what the second one reads, which is right; but it is looked up by the first loop's count, which
; is 0 when the second one is gone through backwards (`inst = li2` in `lookupM`, GradientUtils.cpp).  With steps of one element
; it is right by another way, unless `enzyme-loop-invariant-cache=0`.  Rust: two loops over a `Vec<(f64, f64)>`, or over each
; second element.
; expected: 33 43
; Enzyme:   29 37

@a = internal global [4 x double] [double 2.0, double 0.0, double 3.0, double 0.0]
@da = internal global [4 x double] zeroinitializer
@line = private constant [7 x i8] c"%g %g\0A\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @a, ptr @da, ptr @enzyme_const, i64 2)
  %d0 = load double, ptr @da
  %d2 = load double, ptr getelementptr (double, ptr @da, i64 2)
  call i32 (ptr, ...) @printf(ptr @line, double %d0, double %d2)
  ret i32 0
}

; the sum of all a[2 i]^2, times the sum of all a[2 i]
define double @f(ptr noalias %a, i64 %n) {
entry:
  br label %first

first:
  %i = phi i64 [ 0, %entry ], [ %i.next, %first ]
  %squares = phi double [ 0.0, %entry ], [ %squares.next, %first ]
  %i.twice = mul nuw nsw i64 %i, 2
  %a.i = getelementptr inbounds double, ptr %a, i64 %i.twice
  %x = load double, ptr %a.i
  %square = fmul double %x, %x
  %squares.next = fadd double %squares, %square
  %i.next = add nuw nsw i64 %i, 1
  %i.ends = icmp eq i64 %i.next, %n
  br i1 %i.ends, label %second, label %first

second:
  %k = phi i64 [ 0, %first ], [ %k.next, %second ]
  %sum = phi double [ 0.0, %first ], [ %sum.next, %second ]
  %k.twice = mul nuw nsw i64 %k, 2
  %a.k = getelementptr inbounds double, ptr %a, i64 %k.twice
  %y = load double, ptr %a.k
  %product = fmul double %squares.next, %y
  %sum.next = fadd double %sum, %product
  %k.next = add nuw nsw i64 %k, 1
  %k.ends = icmp eq i64 %k.next, %n
  br i1 %k.ends, label %exit, label %second

exit:
  store double 0.0, ptr %a
  %last = getelementptr inbounds double, ptr %a, i64 2
  store double 0.0, ptr %last
  ret double %sum.next
}
