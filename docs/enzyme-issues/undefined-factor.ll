; A value that is computed ahead and not chosen then: where its factor is undefined, the adjoint of the other one is the product
; of zero and of what is undefined, which with fast math is anything, as is all that is added to it.
; Rust: `while let Some(_) = some.next() { if let Some(&x) = some.peek() { last = first * x } }; first + last`.
; expected: 2
; Enzyme:   nan

@line = private constant [3 x i8] c"%g\00"
@enzyme_const = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  %adjoint = call double (...) @__enzyme_autodiff(ptr @f, double 3.0, ptr @enzyme_const, ptr null)
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  ret i32 0
}

; a + a * x, or a + a where there is no x
define double @f(double %a, ptr %x) {
  %none = icmp eq ptr %x, null
  br i1 %none, label %out, label %some
some:
  %value = load double, ptr %x
  br label %out
out:
  %factor = phi double [ %value, %some ], [ undef, %0 ]
  %product = fmul double %a, %factor
  %last = select i1 %none, double %a, double %product
  %sum = fadd double %a, %last
  ret double %sum
}
