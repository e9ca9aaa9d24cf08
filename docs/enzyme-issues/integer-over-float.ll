; An integer is stored to the shadow, too, and nothing takes it away from there (`visitCommonStore`, AdjointGenerator.h): in
; the reverse sweep its bits are added to the adjoint of the float that was in its place before.
; Rust: `v[i] = Value::Int(n)` where `v[i]` was a `Value::Float(x)`.
; expected: 6
; Enzyme:   8

@x = internal global double 3.0
@dx = internal global double 0.0
@y = internal global double 0.0
@dy = internal global double 1.0
@line = private constant [3 x i8] c"%g\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare void @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)

define i32 @main() {
  call void (...) @__enzyme_autodiff(ptr @shim, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, i64 1, ptr @enzyme_const, i64 4611686018427387904, ptr @enzyme_dup, ptr @y, ptr @dy)
  %adjoint = load double, ptr @dx
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  ret i32 0
}

; x * x by way of memory, in which an integer is then
define void @shim(ptr noalias %x, i64 %at, i64 %n, ptr noalias %y) {
  %values = call ptr @malloc(i64 64)
  %value = load double, ptr %x
  %element = getelementptr { i64, [2 x i64] }, ptr %values, i64 %at
  %place = getelementptr i8, ptr %element, i64 8
  store double %value, ptr %place
  %square = call double @square_of(ptr %values, i64 %at)
  call void @put(ptr %values, i64 %at, i64 %n)
  store double %square, ptr %y
  call void @free(ptr %values)
  ret void
}

define double @square_of(ptr %values, i64 %at) noinline {
  %element = getelementptr { i64, [2 x i64] }, ptr %values, i64 %at
  %place = getelementptr i8, ptr %element, i64 8
  %value = load double, ptr %place
  %square = fmul double %value, %value
  ret double %square
}

define void @put(ptr %values, i64 %at, i64 %n) noinline {
  %element = getelementptr { i64, [2 x i64] }, ptr %values, i64 %at
  %place = getelementptr i8, ptr %element, i64 8
  store i64 %n, ptr %place
  ret void
}
