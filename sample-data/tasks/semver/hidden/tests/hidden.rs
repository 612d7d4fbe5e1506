use semver_lite::{newest, Version};
use std::cmp::Ordering;

fn version(text: &str) -> Version {
    Version::parse(text).unwrap()
}

fn order(a: &str, b: &str) -> Ordering {
    version(a).precedence(&version(b))
}

#[test]
fn release_is_newest() {
    assert_eq!(order("1.0.0", "1.0.0-rc.1"), Ordering::Greater);
}

#[test]
fn numeric_identifiers() {
    assert_eq!(order("1.0.0-rc.9", "1.0.0-rc.10"), Ordering::Less);
}

#[test]
fn numbers_sort_below_words() {
    assert_eq!(order("1.0.0-alpha.1", "1.0.0-alpha.beta"), Ordering::Less);
    assert_eq!(order("1.0.0-99", "1.0.0--"), Ordering::Less);
}

#[test]
fn more_identifiers_are_newer() {
    assert_eq!(order("1.0.0-alpha", "1.0.0-alpha.1"), Ordering::Less);
}

#[test]
fn huge_numbers() {
    assert_eq!(order("1.0.0-99999999999999999999", "1.0.0-100000000000000000000"), Ordering::Less);
}

#[test]
fn build_is_ignored() {
    assert_eq!(order("1.0.0+a", "1.0.0+b"), Ordering::Equal);
    assert_eq!(version("1.0.0+a"), version("1.0.0+b"));
}

#[test]
fn core_numbers() {
    let all = [version("1.9.0"), version("1.10.0"), version("1.2.3")];
    assert_eq!(newest(&all), Some(&all[1]));
}
