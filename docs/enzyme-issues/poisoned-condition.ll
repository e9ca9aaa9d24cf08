; Where three ways come together, the reverse sweep asks again by which one it was: both conditions, whichever way was taken,
; joined by `and` (`branchToCorrespondingTarget`, GradientUtils.cpp).  They are computed as they were, flags and all.  Behind the
; branch on `%is_none` it is sure that the tag is 0 or 1; where it is 2, `trunc nuw` is poison, and so is what is made of it: of
; the loop's sum the adjoint goes on twice.
; Rust: `if let Some((x, flag)) = slots[j].take() { sum += x; if flag { … } }` in a loop, of `[Option<(f64, bool)>; 3]`.
; expected: 2
; Enzyme:   6

@x = internal global double 3.0
@dx = internal global double 0.0
@y = internal global double 0.0
@dy = internal global double 1.0
@tags = internal global [4 x i8] c"\01\02\01\02"
@line = private constant [3 x i8] c"%g\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare void @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call void (...) @__enzyme_autodiff(ptr @shim, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, ptr @tags, ptr @enzyme_const, i64 4, ptr @enzyme_dup, ptr @y, ptr @dy)
  %adjoint = load double, ptr @dx
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  ret i32 0
}

; as many times x as there are tags of 0 and 1
define void @shim(ptr noalias %x, ptr noalias %tags, i64 %n, ptr noalias %y) {
  %value = load double, ptr %x
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %latch ]
  %sum = phi double [ 0.0, %0 ], [ %both, %latch ]
  %at = getelementptr i8, ptr %tags, i64 %i
  %tag = load i8, ptr %at
  %is_none = icmp eq i8 %tag, 2
  br i1 %is_none, label %none, label %some
some:
  %more = fadd double %sum, %value
  %flag = trunc nuw i8 %tag to i1
  br i1 %flag, label %even, label %latch
none:
  br label %latch
even:
  store i8 5, ptr %at
  br label %latch
latch:
  %both = phi double [ %sum, %none ], [ %more, %even ], [ %more, %some ]
  %next = add i64 %i, 1
  %is_last = icmp eq i64 %next, %n
  br i1 %is_last, label %end, label %loop
end:
  store double %both, ptr %y
  ret void
}
