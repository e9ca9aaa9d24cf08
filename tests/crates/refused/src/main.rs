//! Functions that have no derivative, each with the line of the refusal: `//~` says in which words, for both modes.
//!
//! What is right of their kind is in `../bad_input`.

#![allow(static_mut_refs)]

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::arch::asm;
use std::arch::x86_64::*;
use std::cell::RefCell;
use std::ffi::{c_char, c_int};
use std::hint::black_box;
use std::io::Read;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, mpsc};
use std::thread;

/// Functions of a number, each differentiated in both modes.
macro_rules! refused {
    ($($name:ident($x:ident) $body:block)*) => {
        $(mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[autodiff::autodiff_reverse(reverse, Active, Active)]
            #[autodiff::autodiff_forward(forward, Dual, Dual)]
            pub fn primal($x: f64) -> f64 $body
        })*

        fn main() {
            let x = black_box(1.5);
            $(println!("{:?} {:?}", $name::reverse(x, 1.0), $name::forward(x, 1.0));)*
        }
    };
}

static mut KEPT: f64 = 0.0;
static LAST: Mutex<f64> = Mutex::new(0.0);
static FIRST: OnceLock<f64> = OnceLock::new();
static TABLE: LazyLock<Vec<f64>> = LazyLock::new(|| vec![2.0, 3.0]);

static mut WORDS: [u64; 2] = [0; 2];

thread_local! {
    static ROWS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

#[inline(never)]
fn put(to: *mut f64, x: f64) {
    unsafe { *to = x * x };
}

#[allow(dead_code)]
unsafe extern "C" {
    fn gamma_of_nobody(x: f64) -> f64;
    fn sincos(x: f64, sine: *mut f64, cosine: *mut f64);
    fn modf(x: f64, whole: *mut f64) -> f64;
    fn qsort(numbers: *mut f64, count: usize, size: usize, order: extern "C" fn(&f64, &f64) -> c_int);
    fn snprintf(to: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}

extern "C" fn order(one: &f64, other: &f64) -> c_int {
    one.total_cmp(other) as c_int
}

refused! {
    kept_in_a_static(x) {
        unsafe { KEPT = x * x }; //~ a static that may hold floats, and is written here or may be, cannot be differentiated: `KEPT`
        black_box(&raw mut KEPT);
        unsafe { KEPT }
    }
    kept_in_a_lock_of_a_static(x) {
        *LAST.lock().unwrap() = x * x; //~ cannot be differentiated: `LAST`
        *LAST.lock().unwrap()
    }
    made_at_first_use(x) {
        *FIRST.get_or_init(|| x) * x //~ cannot be differentiated: `FIRST`
    }
    table_made_at_first_use(x) {
        TABLE[1] * x * x //~ cannot be differentiated: `TABLE`
    }
    kept_in_a_thread_local(x) {
        ROWS.with(|rows| { //~ what std keeps in a thread-local here has no derivative
            rows.borrow_mut().push(x * x);
            rows.borrow().iter().sum()
        })
    }
    kept_in_words(x) {
        put((&raw mut WORDS).cast(), x); //~ a static that may hold floats, and is written here or may be, cannot be differentiated: `WORDS`
        unsafe { *(&raw const WORDS).cast::<f64>() }
    }
    copied_through_words(x) {
        let (from, mut to) = (black_box([x, x * x]), [0.0; 2]);
        unsafe { from.as_ptr().cast::<u8>().copy_to((&raw mut WORDS).cast(), black_box(16)) }; //~ a static that may hold floats, and is written here or may be, cannot be differentiated: `WORDS`
        unsafe { to.as_mut_ptr().cast::<u8>().copy_from((&raw const WORDS).cast(), black_box(16)) };
        to[0] * to[1]
    }
    of_a_thread(x) {
        thread::scope(|scope| scope.spawn(|| x * x).join().unwrap()) //~ a foreign function that is given a function to call cannot be differentiated: `pthread_create`
    }
    sent(x) {
        let (to, from) = mpsc::channel();
        to.send(x * x).unwrap(); //~ an exchange of pointers (an atomic) cannot be differentiated
        from.recv().unwrap()
    }
    exchanged_by_pointer(x) {
        let (mut one, mut other) = (x * x, x);
        let place = AtomicPtr::new(&raw mut one);
        let old = place.swap(&raw mut other, Ordering::SeqCst); //~ an exchange of pointers (an atomic) cannot be differentiated
        unsafe { *old * *place.load(Ordering::SeqCst) }
    }
    exchanged_by_bits(x) {
        let kept = AtomicU64::new(x.to_bits());
        let old = kept.swap((x * x).to_bits(), Ordering::SeqCst); //~ the bits of a float are moved as an integer here
        f64::from_bits(old) * f64::from_bits(kept.load(Ordering::SeqCst))
    }
    doubled_by_its_bits(x) {
        x * f64::from_bits((x * x).to_bits() + (1 << 52)) //~ the bits of a float are computed with as an integer here
    }
    next_number(x) {
        (x * x).next_up() * x //~ the bits of a float are computed with as an integer here
    }
    root_by_its_bits(x) {
        let guess = f64::from_bits(0x5fe6_eb50_c7b5_37a9 - (x.to_bits() >> 1)); //~ the bits of a float are computed with as an integer here
        guess * (1.5 - 0.5 * x * guess * guess)
    }
    logarithm_by_its_bits(x) {
        x.to_bits() as f64 / (1_u64 << 52) as f64 - 1023.0 //~ the bits of a float are computed with as an integer here
    }
    masked(x) {
        let mask = black_box(1_u64 << 63);
        f64::from_bits((x * x).to_bits() ^ mask) //~ the bits of a float are moved as an integer here
    }
    byte_by_byte(x) {
        let (bytes, mut copy) = ((x * x).to_le_bytes(), [0; 8]);
        for i in 0..black_box(8) {
            copy[i] = bytes[i];
        }
        f64::from_le_bytes(copy) //~ the bits of an integer are taken for a float here
    }
    as_text(x) {
        format!("{}", x * x).parse().unwrap() //~ the bits of an integer are taken for a float here
    }
    of_nobody(x) {
        x * unsafe { gamma_of_nobody(x) } //~ `gamma_of_nobody` has no body in the program's bitcode, and Enzyme knows no derivative of it
    }
    sine_and_cosine(x) {
        let (mut sine, mut cosine) = (0.0, 0.0);
        unsafe { sincos(x, &raw mut sine, &raw mut cosine) }; //~ `sincos` has no body in the program's bitcode, and Enzyme knows no derivative of it
        sine * cosine
    }
    reallocated(x) {
        let mut layout = Layout::array::<(usize, f64)>(2).unwrap();
        let mut pairs: *mut (usize, f64) = unsafe { alloc(layout) }.cast();
        for i in 0..black_box(9) {
            if i == layout.size() / 16 {
                pairs = unsafe { realloc(pairs.cast(), layout, 2 * layout.size()) }.cast(); //~ a copy of elements that hold floats beside other things
                layout = Layout::array::<(usize, f64)>(2 * i).unwrap();
            }
            unsafe { pairs.add(i).write((i, x * i as f64)) };
        }
        let sum: f64 = (0..9).map(|i| unsafe { *pairs.add(i) }).map(|(i, one)| one * i as f64).sum();
        unsafe { dealloc(pairs.cast(), layout) };
        sum * x
    }
    in_parts(x) {
        let mut whole = 0.0;
        let rest = unsafe { modf(x * x, &raw mut whole) }; //~ what a foreign function writes where it is told to would be lost: `modf`
        rest * whole
    }
    sorted_by_c(x) {
        let mut numbers = [x * x, x, 5.0];
        unsafe { qsort(numbers.as_mut_ptr(), 3, 8, order) }; //~ a foreign function that is given a function to call cannot be differentiated: `qsort`
        numbers[0]
    }
    written_by_c(x) {
        x * f64::from(unsafe { snprintf(std::ptr::null_mut(), 0, c"%g".as_ptr(), x) }) //~ a variadic function cannot be differentiated: `snprintf`
    }
    by_assembly(x) {
        let mut y = x;
        unsafe { asm!("addsd {0}, {0}", inout(xmm_reg) y) }; //~ inline assembly cannot be differentiated
        y * x
    }
    by_assembly_in_memory(x) {
        let mut y = x;
        unsafe { asm!("fld qword ptr [{0}]", "fadd st(0), st(0)", "fstp qword ptr [{0}]", in(reg) &raw mut y, out("st(0)") _) }; //~ inline assembly cannot be differentiated
        y * x
    }
    about_the_reciprocal(x) {
        f64::from(unsafe { _mm_cvtss_f32(_mm_rcp_ss(_mm_set_ss(x as f32))) }) //~ Enzyme knows no derivative of this instruction of the processor
    }
    of_a_file(x) {
        let mut bytes = [0; 8];
        std::fs::File::open("/dev/zero").unwrap().read_exact(&mut bytes).unwrap(); //~ what std asks of the operating system here has no derivative
        x * x + f64::from_le_bytes(bytes)
    }
    of_the_input(x) {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap(); //~ what std keeps in a static here has no derivative
        x * line.len() as f64
    }
    of_the_command_line(x) {
        x * std::env::args().count() as f64 //~ what std keeps in a static here has no derivative
    }
}
