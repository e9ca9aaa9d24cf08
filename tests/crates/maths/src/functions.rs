//! The functions: a name, what they take, their value, its slope towards each argument, points, and points at an edge: where
//! the slope jumps, is infinite, or is not there.

macro_rules! functions {
    ($then:ident, $real:ident) => {
        $then! { $real;
            abs [x] x.abs(), [x.signum()], at [-1.5] edges [0.0] [-0.0] [$real::INFINITY] [$real::NAN];
            acos [x] x.acos(), [-(1.0 - x * x).sqrt().recip()], at [0.3] edges [1.0] [-1.0] [2.0];
            acosh [x] x.acosh(), [((x - 1.0) * (x + 1.0)).sqrt().recip()], at [1.5] [30.0] edges [1.0];
            add [x, y] x + y, [1.0, 1.0], at [0.5, -2.0] edges [$real::INFINITY, 1.0];
            asin [x] x.asin(), [(1.0 - x * x).sqrt().recip()], at [0.3] [-0.9] edges [1.0] [-1.0] [2.0];
            asinh [x] x.asinh(), [(x * x + 1.0).sqrt().recip()], at [0.3] [-2.5] [0.0] [-0.0];
            atan [x] x.atan(), [(1.0 + x * x).recip()], at [0.3] [-4.0] [0.0] edges [$real::INFINITY];
            atan2 [y, x] y.atan2(x), [x / (x * x + y * y), -y / (x * x + y * y)], at [0.3, 0.7] [-1.0, -2.0] [1.0, 0.0] edges [0.0, 0.0];
            atanh [x] x.atanh(), [(1.0 - x * x).recip()], at [0.3] [-0.9] [0.0] edges [1.0];
            cbrt [x] x.cbrt(), [(3.0 * x.cbrt() * x.cbrt()).recip()], at [0.3] [-8.0] edges [0.0];
            ceil [x] x.ceil(), [0.0], at [0.3] [-0.3] edges [2.0];
            clamp [x] x.clamp(-1.0, 2.0), [if x < -1.0 || x > 2.0 { 0.0 } else { 1.0 }], at [0.3] [-3.0] [2.5] edges [-1.0] [2.0];
            clamp_to [x, low, high] x.clamp(low, high), [if x < low || x > high { 0.0 } else { 1.0 }, if x < low { 1.0 } else { 0.0 }, if x > high { 1.0 } else { 0.0 }], at [0.3, 0.0, 1.0] [-0.3, 0.0, 1.0] [1.3, 0.0, 1.0] edges [1.0, 0.0, 1.0];
            copysign [x, y] x.copysign(y), [x.signum() * y.signum(), 0.0], at [0.3, -1.0] [-0.3, -1.0] edges [0.0, -1.0] [-2.0, 0.0] [-2.0, -0.0];
            cos [x] x.cos(), [-x.sin()], at [0.3] [-40.0] [0.0];
            cosh [x] x.cosh(), [x.sinh()], at [0.3] [-2.0] [0.0];
            div_euclid [x, y] x.div_euclid(y), [0.0, 0.0], at [7.5, 2.0] [-7.5, 2.0] edges [8.0, 2.0];
            divide [x, y] x / y, [1.0 / y, -x / (y * y)], at [0.5, -2.0] edges [1.0, 0.0] [0.0, 0.0];
            exp [x] x.exp(), [x.exp()], at [0.3] [-30.0] [0.0] edges [$real::INFINITY] [$real::NEG_INFINITY];
            exp2 [x] x.exp2(), [x.exp2() * consts::LN_2], at [0.3] [-3.0] [0.0];
            exp_m1 [x] x.exp_m1(), [x.exp()], at [0.3] [-1e-5] [0.0];
            floor [x] x.floor(), [0.0], at [0.3] [-0.3] edges [2.0];
            fract [x] x.fract(), [1.0], at [0.3] [-2.7] edges [2.0];
            from_bits [x] $real::from_bits(x.to_bits()), [1.0], at [0.3] [-2.0] [0.0];
            hypot [x, y] x.hypot(y), [x / x.hypot(y), y / x.hypot(y)], at [3.0, -4.0] [1e-3, 2.0] [2.0, 0.0] edges [0.0, 0.0];
            ln [x] x.ln(), [1.0 / x], at [0.3] [20.0] edges [0.0] [-1.0];
            ln_1p [x] x.ln_1p(), [(1.0 + x).recip()], at [0.3] [1e-5] [0.0] edges [-1.0];
            log [x, base] x.log(base), [(x * base.ln()).recip(), -x.ln() / (base * base.ln() * base.ln())], at [0.3, 3.0] [20.0, 0.5] [1.0, 2.0];
            log10 [x] x.log10(), [(x * consts::LN_10).recip()], at [0.3] [20.0] edges [0.0];
            log2 [x] x.log2(), [(x * consts::LN_2).recip()], at [0.3] [20.0] edges [0.0];
            max [x, y] x.max(y), [if x > y || y.is_nan() { 1.0 } else { 0.0 }, if x > y || y.is_nan() { 0.0 } else { 1.0 }], at [0.3, 2.0] [2.0, 0.3] [1.0, $real::NAN] [$real::NAN, 1.0] edges [1.0, 1.0];
            max_of_itself [x] x.max(x), [1.0], at [0.3] [-2.0] [0.0];
            min [x, y] x.min(y), [if x < y || y.is_nan() { 1.0 } else { 0.0 }, if x < y || y.is_nan() { 0.0 } else { 1.0 }], at [0.3, 2.0] [2.0, 0.3] [1.0, $real::NAN] [$real::NAN, 1.0] edges [1.0, 1.0];
            mul_add [x, y, z] x.mul_add(y, z), [y, x, 1.0], at [0.3, 2.0, -1.0] [0.0, 0.0, 0.0];
            multiply [x, y] x * y, [y, x], at [0.5, -2.0] [0.0, 0.0] edges [0.0, $real::INFINITY];
            powf [x, y] x.powf(y), [y * x.powf(y - 1.0), x.powf(y) * x.ln()], at [0.3, 2.5] [2.0, -1.5] [4.0, 0.0] [4.0, 1.0];
            powf_at_zero [x] x.powf(2.5), [2.5 * x.powf(1.5)], at [0.3] [2.0] [0.0];
            powf_of_zero [x] x.powf(0.5), [0.5 * x.powf(-0.5)], at [0.3] edges [0.0];
            powf_to_zero [y] (0.0 as $real).powf(y), [0.0], at  edges [2.5] [1.0];
            powi [x] x.powi(3), [3.0 * x * x], at [0.3] [-2.0] [0.0];
            powi_0 [x] x.powi(0), [0.0], at [0.3] [0.0];
            powi_negative [x] x.powi(-2), [-2.0 * x.powi(-3)], at [0.3] [-2.0] [0.0];
            recip [x] x.recip(), [-(x * x).recip()], at [0.3] [-2.0] [0.0];
            rem [x, y] x % y, [1.0, -(x / y).trunc()], at [7.5, 2.0] [-7.5, 2.0] [7.5, -2.0] edges [8.0, 2.0];
            rem_euclid [x, y] x.rem_euclid(y), [1.0, -x.div_euclid(y)], at [7.5, 2.0] [-7.5, 2.0] [-7.5, -2.0] edges [8.0, 2.0];
            round [x] x.round(), [0.0], at [0.3] [-0.7] edges [0.5];
            round_ties_even [x] x.round_ties_even(), [0.0], at [0.3] [-0.7] edges [0.5];
            signum [x] x.signum(), [0.0], at [0.3] [-2.0] edges [0.0] [-0.0];
            sin [x] x.sin(), [x.cos()], at [0.3] [-40.0] [0.0] edges [$real::INFINITY];
            sin_cos [x] { let (s, c) = x.sin_cos(); s * c }, [(2.0 * x).cos()], at [0.3] [-2.0] [0.0];
            sinh [x] x.sinh(), [x.cosh()], at [0.3] [-2.0] [0.0];
            sqrt [x] x.sqrt(), [0.5 / x.sqrt()], at [0.3] [9.0] edges [0.0] [-1.0] [$real::INFINITY];
            sqrt_squared [x] (x * x).sqrt(), [x.signum()], at [0.3] [-2.0] edges [0.0];
            subtract [x, y] x - y, [1.0, -1.0], at [0.5, -2.0];
            tan [x] x.tan(), [1.0 + x.tan() * x.tan()], at [0.3] [-1.2] [0.0];
            tanh [x] x.tanh(), [1.0 - x.tanh() * x.tanh()], at [0.3] [-2.0] [0.0];
            to_degrees [x] x.to_degrees(), [180.0 / consts::PI], at [0.3] [0.0];
            to_radians [x] x.to_radians(), [consts::PI / 180.0], at [0.3] [0.0];
            trunc [x] x.trunc(), [0.0], at [0.3] [-2.7] edges [2.0];
        }
    };
}
