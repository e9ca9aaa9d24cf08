; What a load reads is taken to be there to the end where all that is stored later is known to be of another type
; (`writesToMemoryReadBy` in Utils.cpp compares types before it asks alias analysis), and read again in the reverse sweep.
; Rust: `counts.into_iter().map(|n| x * n as f64).collect::<Vec<f64>>()`, as std collects into the memory that it takes from.
; expected: 6
; Enzyme:   1.38638e+19

@x = internal global double 5.0
@dx = internal global double 0.0
@memory = internal global [3 x i64] [i64 1, i64 2, i64 3]
@dmemory = internal global [3 x double] zeroinitializer
@line = private constant [4 x i8] c"%g\0A\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare double @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define i32 @main() {
  call double (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_dup, ptr @memory, ptr @dmemory, ptr @enzyme_const, i64 3, ptr @enzyme_const, i64 0)
  %adjoint = load double, ptr @dx
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  ret i32 0
}

; the sum of x times 1, 2 and 3, which lie in the memory that the products come to lie in
define double @f(ptr noalias %x, ptr noalias %memory, i64 %n, i64 %nothing) {
entry:
  br label %collect

collect:
  %j = phi i64 [ 0, %entry ], [ %j.next, %collect ]
  %j.next = add nuw nsw i64 %j, 1
  %at = getelementptr inbounds i64, ptr %memory, i64 %j
  %there = getelementptr inbounds i8, ptr %at, i64 %nothing
  %number = load i64, ptr %there
  %factor = uitofp i64 %number to double
  %value = load double, ptr %x
  %product = fmul double %value, %factor
  store double %product, ptr %at
  %collected = icmp eq i64 %j.next, %n
  br i1 %collected, label %add, label %collect

add:
  %k = phi i64 [ 0, %collect ], [ %k.next, %add ]
  %sum = phi double [ 0.0, %collect ], [ %sum.next, %add ]
  %k.next = add nuw nsw i64 %k, 1
  %from = getelementptr inbounds double, ptr %memory, i64 %k
  %one = load double, ptr %from
  %sum.next = fadd double %sum, %one
  %added = icmp eq i64 %k.next, %n
  br i1 %added, label %exit, label %add

exit:
  ret double %sum.next
}
