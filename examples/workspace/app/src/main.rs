//! A program that lets a chain of springs come to rest, by the derivative in a library of its workspace.

use springs::Chain;

const CHAIN: Chain = Chain { stiffness: 40.0, length: 1.0, weight: 2.0 };

/// Every spring carries what hangs below it.
fn at_rest(count: usize) -> Vec<f64> {
    let longer = |carried: usize| CHAIN.length + CHAIN.weight * carried as f64 / CHAIN.stiffness;
    (1..=count).map(|i| -(0..i).map(|above| longer(count - above)).sum::<f64>()).collect()
}

fn main() {
    let mut heights = vec![-1.0, -2.0, -3.0, -4.0];
    for _ in 0..2_000 {
        let forces = CHAIN.forces(&heights);
        heights.iter_mut().zip(forces).for_each(|(height, force)| *height += 0.01 * force);
    }
    println!("energy {:.6}", CHAIN.energy(&heights));
    println!("{:>12} {:>12}", "came to", "at rest");
    for (height, right) in heights.iter().zip(at_rest(heights.len())) {
        println!("{height:>12.6} {right:>12.6}");
        assert!((height - right).abs() <= 1e-9, "the forces are wrong");
    }
}
