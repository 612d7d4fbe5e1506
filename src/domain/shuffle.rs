//! Orders that a seed decides, the same on every machine.
//!
//! What is *not* here: which seed, and what is shown in the order.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// The seed that some texts make together: the first 8 bytes (little-endian) of the SHA-256 over
/// them, each with its length before it.
#[must_use]
pub fn seed_of(parts: &[&str]) -> u64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(bytes)
}

/// The items in an order that the seed decides.
#[must_use]
pub fn shuffled<T>(mut items: Vec<T>, seed: u64) -> Vec<T> {
    items.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_order() {
        let numbers: Vec<u32> = (0..20).collect();
        assert_eq!(shuffled(numbers.clone(), 7), shuffled(numbers.clone(), 7));
        assert_ne!(shuffled(numbers.clone(), 7), shuffled(numbers, 8));
        assert_ne!(seed_of(&["ab", "c"]), seed_of(&["a", "bc"]));
    }
}
