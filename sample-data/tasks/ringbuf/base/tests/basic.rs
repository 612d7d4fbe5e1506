use ringbuf::RingBuffer;

#[test]
fn starts_empty() {
    let ring: RingBuffer<u8> = RingBuffer::new(3);
    assert!(ring.is_empty());
    assert_eq!(ring.len(), 0);
}

#[test]
fn keeps_what_fits() {
    let mut ring = RingBuffer::new(3);
    assert_eq!(ring.push(1), None);
    assert_eq!(ring.push(2), None);
    assert_eq!(ring.iter().copied().collect::<Vec<_>>(), [1, 2]);
}
