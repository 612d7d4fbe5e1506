use ringbuf::RingBuffer;

fn filled(capacity: usize, upto: u32) -> RingBuffer<u32> {
    let mut ring = RingBuffer::new(capacity);
    for value in 1..=upto {
        ring.push(value);
    }
    ring
}

#[test]
fn length_stops_at_capacity() {
    assert_eq!(filled(3, 5).len(), 3);
}

#[test]
fn order_survives_a_wrap() {
    assert_eq!(filled(3, 5).iter().copied().collect::<Vec<_>>(), [3, 4, 5]);
}

#[test]
fn capacity_zero_hands_back() {
    let mut ring = RingBuffer::new(0);
    assert_eq!(ring.push(1), Some(1));
    assert!(ring.is_empty());
    assert_eq!(ring.iter().count(), 0);
}

#[test]
fn push_returns_the_replaced_value() {
    let mut ring = filled(2, 2);
    assert_eq!(ring.push(9), Some(1));
}

#[test]
fn partly_filled() {
    assert_eq!(filled(4, 2).iter().copied().collect::<Vec<_>>(), [1, 2]);
}
