; A constant pointer is its own shadow where it is chosen beside others.  Where Enzyme does not know it to be one, as types are
; not followed against the way of a branch here, it makes a shadow of eight bytes of zero (`invertPointerM`, GradientUtils.cpp).
; What reads by that is undefined, LLVM takes it that `%data` is never chosen, and the value itself is another.
; Rust: `match source { Source::Data(i) => data[i], Source::Parameter(i) => x[i] }`, of a `Const` and a `Dual` slice.
; with: --enzyme-strict-aliasing=0
; expected: 49
; Enzyme:   9

@x = internal global double 3.0
@dx = internal global double 1.0
@data = internal global double 7.0
@y = internal global double 0.0
@dy = internal global double 0.0
@which = global [2 x i64] zeroinitializer
@line = private constant [3 x i8] c"%g\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32
@enzyme_runtime_activity = external global i32

declare void @__enzyme_fwddiff(...)
declare void @__enzyme_autodiff_trigger(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call void (...) @__enzyme_fwddiff(ptr @shim, ptr @enzyme_runtime_activity, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, ptr @data, ptr @enzyme_const, ptr @which, ptr @enzyme_dup, ptr @y, ptr @dy)
  %value = load double, ptr @y
  call i32 (ptr, ...) @printf(ptr @line, double %value)
  ret i32 0
}

define void @shim(ptr noalias %xs, ptr noalias %data, ptr noalias %which, ptr noalias %y) {
  %tag = load i64, ptr %which
  %behind = getelementptr i64, ptr %which, i64 1
  %i = load i64, ptr %behind
  switch i64 %tag, label %of_none [
    i64 0, label %of_data
    i64 1, label %of_x
  ]
of_data:
  %one = getelementptr double, ptr %data, i64 %i
  br label %chosen
of_x:
  %x = getelementptr double, ptr %xs, i64 %i
  br label %chosen
of_none:
  br label %chosen
chosen:
  %from = phi ptr [ %one, %of_data ], [ %x, %of_x ], [ %xs, %of_none ]
  %value = load double, ptr %from
  %square = fmul double %value, %value
  store double %square, ptr %y
  ret void
}
