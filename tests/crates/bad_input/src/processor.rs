//! Instructions of the processor's: vectors, and assembly that is given no float.

use crate::tried;
use std::arch::asm;
use std::arch::x86_64::*;
use std::hint::black_box;

tried! {
    sum_of_two(x) { unsafe { _mm_cvtsd_f64(_mm_add_sd(_mm_set_sd(x), _mm_set_sd(x))) * x } } => 2.0 * x * x, 4.0 * x;
    roots(x) { unsafe { _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set1_pd(x * x * x * x))) } } => x * x, 2.0 * x;
    in_memory(x) {
        let (pair, mut numbers) = (unsafe { _mm_set_pd(x, 2.0) }, [0.0; 2]);
        unsafe { _mm_storeu_pd(numbers.as_mut_ptr(), _mm_mul_pd(pair, pair)) };
        numbers[0] + numbers[1]
    } => 4.0 + x * x, 2.0 * x;
    larger(x) { unsafe { _mm_cvtsd_f64(_mm_max_pd(_mm_set1_pd(x), _mm_set1_pd(1.0))) * x } }
        => x.max(1.0) * x, if x > 1.0 { 2.0 * x } else { 1.0 };
    exchanged(x) { unsafe { let pair = _mm_set_pd(x, x * x); _mm_cvtsd_f64(_mm_shuffle_pd(pair, pair, 1)) * _mm_cvtsd_f64(pair) } }
        => x.powi(3), 3.0 * x * x;
    of_single_precision(x) { unsafe { f64::from(_mm_cvtss_f32(_mm_mul_ps(_mm_set1_ps(x as f32), _mm_set1_ps(x as f32)))) } } => x * x, 2.0 * x;
    time_stamp(x) { if unsafe { _rdtsc() } == 0 { x } else { x * x } } => x * x, 2.0 * x;
    assembly_without_operands(x) { unsafe { asm!("nop") }; x * x } => x * x, 2.0 * x;
    assembly_of_integers(x) { let mut n = 2_u64; unsafe { asm!("add {0}, {0}", inout(reg) n) }; x * n as f64 } => 4.0 * x, 4.0;
    out_of_the_compilers_sight(x) { let pair = [x, x * x]; black_box(&pair)[0] * black_box(pair)[1] } => x.powi(3), 3.0 * x * x;
}
