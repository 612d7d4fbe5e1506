use semver_lite::Version;

#[test]
fn three_numbers() {
    assert_eq!(Version::parse("1.20.3").map(|v| v.numbers), Some([1, 20, 3]));
    assert_eq!(Version::parse("1.2"), None);
}
