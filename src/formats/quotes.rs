//! Where a JSON string ends: quotes and backslashes of 64 bytes at a time, as bits.
//!
//! What is *not* here: what the strings are.

use wide::u8x16;

/// Bytes looked at together.
const BLOCK: usize = 64;

/// The byte of the quote that ends the string whose first byte behind its own quote is at `start`;
/// `None` when the bytes end before.
pub(super) fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    // Whether the next byte stands behind a backslash that escapes it.
    let mut escaped = false;
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        let ends = bits(block, b'"') & !behind_escapes(bits(block, b'\\'), &mut escaped);
        if ends != 0 {
            return Some(at + ends.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
    for (offset, byte) in bytes.get(at..)?.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + offset),
            _ => {}
        }
    }
    None
}

/// The bytes that backslashes escape. Runs of backslashes escape what is behind them when they are
/// of odd length; `carry` goes from block to block. The arithmetic is simdjson's: adding the starts
/// of runs to the runs carries through each run to its end.
fn behind_escapes(backslashes: u64, carry: &mut bool) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let first = u64::from(*carry);
    if backslashes == 0 {
        *carry = false;
        return first;
    }
    // A backslash that is itself escaped begins nothing.
    let backslashes = backslashes & !first;
    let behind = (backslashes << 1) | first;
    let odd_starts = backslashes & !EVEN & !behind;
    let (runs_of_even_ends, overflow) = odd_starts.overflowing_add(backslashes);
    *carry = overflow;
    (EVEN ^ (runs_of_even_ends << 1)) & behind
}

/// One bit for each byte that is this one, the first byte's lowest.
fn bits(block: &[u8; BLOCK], byte: u8) -> u64 {
    let wanted = u8x16::splat(byte);
    let (chunks, _) = block.as_chunks::<16>();
    chunks.iter().rev().fold(0, |bits, chunk| {
        let same = u8x16::new(*chunk).simd_eq(wanted).to_bitmask();
        // Sixteen bits of it are used.
        (bits << 16) | (u64::from(same) & 0xFFFF)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn byte_by_byte(bytes: &[u8], start: usize) -> Option<usize> {
        let mut at = start;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 2,
                b'"' => return Some(at),
                _ => at += 1,
            }
        }
        None
    }

    proptest! {
        #[test]
        fn the_end_is_the_one_found_byte_by_byte(
            text in "([\\\\]{1,70}|[\"]|[a-zé\n]{1,40}){0,30}",
            start in 0_usize..100,
        ) {
            let start = start.min(text.len());
            prop_assert_eq!(
                end_of_string(text.as_bytes(), start),
                byte_by_byte(text.as_bytes(), start)
            );
        }

        #[test]
        fn bits_are_the_bytes(bytes in prop::collection::vec(33_u8..37, BLOCK)) {
            let block: &[u8; BLOCK] = bytes.first_chunk().unwrap();
            let expected = (0..BLOCK).fold(0, |bits, at| bits | (u64::from(bytes[at] == b'"') << at));
            prop_assert_eq!(bits(block, b'"'), expected);
        }
    }
}
