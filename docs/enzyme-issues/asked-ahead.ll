; Of ways that come together the second is told from the third by a branch that the first has not passed, and its condition is
; computed before it is known whether that was the way: it is read from where nothing is. `branchToCorrespondingTarget`
; (GradientUtils.cpp) looks up both conditions, and makes the block in which the second is wanted after that. Ways by which no
; float with a derivative comes count as one there. Rust: `match` on the first element of a `Vec` that may be empty.
; expected: 1 0
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
  %dangling = inttoptr i64 %n to ptr
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, i64 %n, ptr @enzyme_const, ptr %dangling)
  %first = load double, ptr @dx
  %second = load double, ptr getelementptr (double, ptr @dx, i64 1)
  call i32 (ptr, ...) @printf(ptr @line, double %first, double %second)
  ret i32 0
}

; n = 1: x[0], and the tag is not read
define double @f(ptr noalias %x, i64 %n, ptr noalias %tags) {
  %x0 = load double, ptr %x
  %empty = icmp eq i64 %n, 1
  br i1 %empty, label %join, label %second
second:
  %tag = load i64, ptr %tags
  %is_some = icmp eq i64 %tag, 1
  br i1 %is_some, label %some, label %none
some:
  %square = fmul double %x0, %x0
  br label %join
none:
  %many = icmp ugt i64 %n, 7
  br i1 %many, label %join, label %few
few:
  br label %join
join:
  %result = phi double [ %x0, %0 ], [ %square, %some ], [ 1.0, %none ], [ 2.0, %few ]
  call void @stay()
  ret double %result
}

; lest LLVM make a copy of what follows for each way, of which the one has no use for the tag
@stays = internal global i8 0
define void @stay() #0 {
  store volatile i8 1, ptr @stays
  ret void
}
attributes #0 = { noinline noduplicate nofree "enzyme_inactive" }
