; What is read of a constant is of any type for Enzyme, as bytes may be (`getConstantAnalysis`, TypeAnalysis.cpp). Of a value
; without a derivative and of any type forward mode makes no zero, where a tangent is wanted: it takes the value itself for its
; tangent (`invertPointerM`, GradientUtils.cpp).
; Rust: `if x > 1.0 { x * x } else { TABLE[i] }`.
; expected: 4 0
; Enzyme:   4 1.5

@table = private constant [16 x i8] c"\00\00\00\00\00\00\F8?\00\00\00\00\00\00\E0?"
@y = internal global double 0.0
@dy = internal global double 0.0
@x = internal global [2 x double] [double 2.0, double 0.5]
@dx = internal global [2 x double] [double 1.0, double 1.0]
@line = private constant [6 x i8] c"%g %g\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare void @__enzyme_fwddiff(...)
declare void @__enzyme_autodiff_trigger()
declare i32 @printf(ptr, ...)

define i32 @main() {
  %computed = call double @tangent(i64 0)
  %read = call double @tangent(i64 1)
  call i32 (ptr, ...) @printf(ptr @line, double %computed, double %read)
  ret i32 0
}

define double @tangent(i64 %i) {
  %x = getelementptr double, ptr @x, i64 %i
  %dx = getelementptr double, ptr @dx, i64 %i
  %at = sub i64 1, %i
  call void (...) @__enzyme_fwddiff(ptr @f, ptr @enzyme_dup, ptr %x, ptr %dx, ptr @enzyme_dup, ptr @y, ptr @dy, ptr @enzyme_const, i64 %at)
  %tangent = load double, ptr @dy
  ret double %tangent
}

; x² where x is above 1, else an element of the table
define void @f(ptr %from, ptr %to, i64 %at) {
  %x = load double, ptr %from
  %place = getelementptr double, ptr @table, i64 %at
  %number = load double, ptr %place
  %square = fmul double %x, %x
  %is_above = fcmp ogt double %x, 1.0
  %chosen = select i1 %is_above, double %square, double %number
  store double %chosen, ptr %to
  ret void
}
