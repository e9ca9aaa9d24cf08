; A function that hands its own pointer on as the `sret` of another is taken for one that writes nothing at all: the other writes
; its result alone (`enzyme_LocalReadOnlyOrThrow`), and of who calls that Enzyme believes that the result is its own
; (`enzyme_ReadOnlyOrThrow`).  What writes nothing and returns nothing has no derivative (`isConstantInstruction`,
; ActivityAnalysis.cpp).
; Rust: a method that is called by `&dyn Surface` and returns an `Option<Hit>`, or one that sets a field to what another returns.
; expected: 6
; Enzyme:   0

@x = internal global double 3.0
@dx = internal global double 0.0
@y = internal global double 0.0
@dy = internal global double 1.0
@line = private constant [3 x i8] c"%g\00"
@enzyme_dup = external global i32

declare void @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call void (...) @__enzyme_autodiff(ptr @shim, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_dup, ptr @y, ptr @dy)
  %adjoint = load double, ptr @dx
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  ret i32 0
}

; x * x
define void @shim(ptr noalias %x, ptr noalias %y) {
  %result = alloca { double, double }
  call void @handed_on(ptr %result, ptr %x)
  %square = load double, ptr %result
  store double %square, ptr %y
  ret void
}

define internal void @handed_on(ptr %result, ptr %x) noinline {
  call void @square(ptr %result, ptr %x)
  ret void
}

define internal void @square(ptr noalias writeonly sret({ double, double }) captures(none) %result, ptr noalias readonly captures(none) %x) noinline {
  %value = load double, ptr %x
  %square = fmul double %value, %value
  store double %square, ptr %result
  ret void
}
