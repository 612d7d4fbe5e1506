//! A value of a column as JSON: numbers, texts, times, decimals, bytes.
//!
//! What is *not* here: nested types (`rows`).

use std::fmt::Write as _;

use jiff::civil;
use jiff::{SignedDuration, Timestamp, ToSpan as _};
use parquet::basic::{ConvertedType, IntType, LogicalType, TimeUnit};
use parquet::schema::types::ColumnDescriptor;

use super::columns::Values;

/// What the values of a column mean beside their physical type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing more.
    Plain,
    /// An unsigned number.
    Unsigned,
    /// Days since 1970.
    Date,
    /// Time of day in units of so many nanoseconds.
    Time(i64),
    /// Time since 1970 in units of so many nanoseconds; with or without a zone.
    Timestamp(i64, bool),
    /// An integer with so many digits behind the point.
    Decimal(u32),
    /// 16 bytes.
    Uuid,
    /// Two bytes.
    Float16,
}

const MILLI: i64 = 1_000_000;
const MICRO: i64 = 1_000;

impl Meaning {
    /// What the schema says of a column.
    pub(super) fn of(descr: &ColumnDescriptor) -> Self {
        let nanos = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => MILLI,
            TimeUnit::MICROS => MICRO,
            TimeUnit::NANOS => 1,
        };
        match descr.logical_type_ref() {
            Some(LogicalType::Date) => return Self::Date,
            Some(LogicalType::Time(time)) => return Self::Time(nanos(&time.unit)),
            Some(LogicalType::Timestamp(time)) => {
                return Self::Timestamp(nanos(&time.unit), time.is_adjusted_to_u_t_c);
            }
            Some(LogicalType::Decimal(decimal)) => {
                return Self::Decimal(u32::try_from(decimal.scale).unwrap_or(0));
            }
            Some(LogicalType::Integer(IntType { is_signed, .. })) => {
                return if *is_signed {
                    Self::Plain
                } else {
                    Self::Unsigned
                };
            }
            Some(LogicalType::Uuid) => return Self::Uuid,
            Some(LogicalType::Float16) => return Self::Float16,
            _ => {}
        }
        match descr.converted_type() {
            ConvertedType::DATE => Self::Date,
            ConvertedType::TIME_MILLIS => Self::Time(MILLI),
            ConvertedType::TIME_MICROS => Self::Time(MICRO),
            ConvertedType::TIMESTAMP_MILLIS => Self::Timestamp(MILLI, true),
            ConvertedType::TIMESTAMP_MICROS => Self::Timestamp(MICRO, true),
            ConvertedType::DECIMAL => Self::Decimal(u32::try_from(descr.type_scale()).unwrap_or(0)),
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64 => Self::Unsigned,
            _ => Self::Plain,
        }
    }
}

/// Writes the value at an index; `null` when there is none.
pub(super) fn write(values: &Values, at: usize, meaning: Meaning, out: &mut String) {
    let before = out.len();
    let _ = match values {
        Values::Bool(all) => all.get(at).map(|value| shown(out, value)),
        Values::I32(all) => all.get(at).map(|&value| match meaning {
            // The bits are those of the unsigned number.
            Meaning::Unsigned => shown(out, &(value as u32)),
            _ => whole(i64::from(value), meaning, out),
        }),
        Values::I64(all) => all.get(at).map(|&value| match meaning {
            Meaning::Unsigned => shown(out, &(value as u64)),
            _ => whole(value, meaning, out),
        }),
        Values::I96(all) => all
            .get(at)
            .map(|value| whole(value.to_nanos(), Meaning::Timestamp(1, true), out)),
        Values::F32(all) => all.get(at).map(|value| float(value, value.is_nan(), out)),
        Values::F64(all) => all.get(at).map(|value| float(value, value.is_nan(), out)),
        Values::Bytes(all) => all.get(at).map(|value| bytes(value.data(), meaning, out)),
        Values::Fixed(all) => all.get(at).map(|value| bytes(value.data(), meaning, out)),
    };
    if out.len() == before {
        out.push_str("null");
    }
}

fn shown(out: &mut String, value: &dyn std::fmt::Display) {
    // Writing into a text does not fail.
    let _ = write!(out, "{value}");
}

/// A float in the shortest form that reads back; NaN and the infinities as Python writes them.
fn float(value: &(impl std::fmt::Debug + Copy + Into<f64>), is_nan: bool, out: &mut String) {
    let wide: f64 = (*value).into();
    match (is_nan, wide.is_infinite(), wide > 0.0) {
        (true, ..) => out.push_str("NaN"),
        (_, true, true) => out.push_str("Infinity"),
        (_, true, false) => out.push_str("-Infinity"),
        _ => {
            let _ = write!(out, "{value:?}");
        }
    }
}

/// A whole number with its meaning; one that is out of range is written as the number.
fn whole(value: i64, meaning: Meaning, out: &mut String) {
    let nanos = |unit: i64| i128::from(value) * i128::from(unit);
    let text = match meaning {
        Meaning::Date => civil::date(1970, 1, 1)
            .checked_add(
                SignedDuration::from_hours(24)
                    .saturating_mul(i32::try_from(value).unwrap_or(i32::MAX)),
            )
            .ok()
            .map(|date| date.to_string()),
        Meaning::Time(unit) => i64::try_from(nanos(unit))
            .ok()
            .and_then(|nanos| {
                civil::Time::midnight()
                    .checked_add(nanos.nanoseconds())
                    .ok()
            })
            .map(|time| time.to_string()),
        Meaning::Timestamp(unit, zoned) => {
            let time = Timestamp::from_nanosecond(nanos(unit)).ok();
            time.map(|time| {
                let text = time.to_string();
                match (zoned, text.strip_suffix('Z')) {
                    (false, Some(local)) => local.to_owned(),
                    _ => text,
                }
            })
        }
        Meaning::Decimal(scale) => {
            decimal(i128::from(value), scale, out);
            return;
        }
        _ => None,
    };
    match text {
        Some(text) => {
            let _ = write!(out, "\"{text}\"");
        }
        None => shown(out, &value),
    }
}

/// Digits with a point before the last `scale` of them.
fn decimal(unscaled: i128, scale: u32, out: &mut String) {
    let scale = usize::try_from(scale).unwrap_or(0);
    if unscaled < 0 {
        out.push('-');
    }
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (front, back) = digits.split_at(digits.len() - scale);
    out.push_str(front);
    if !back.is_empty() {
        out.push('.');
        out.push_str(back);
    }
}

/// Bytes: a number or id when they mean one, a text when they are one, else marked and lossily.
fn bytes(bytes: &[u8], meaning: Meaning, out: &mut String) {
    match meaning {
        Meaning::Decimal(scale) if (1..=16).contains(&bytes.len()) => {
            // Big-endian, with the sign in the first bit.
            let fill = if bytes[0] & 0x80 == 0 { 0 } else { -1_i128 };
            let value = bytes
                .iter()
                .fold(fill, |value, byte| (value << 8) | i128::from(*byte));
            decimal(value, scale, out);
        }
        Meaning::Uuid if bytes.len() == 16 => {
            out.push('"');
            for (index, byte) in bytes.iter().enumerate() {
                let dash = if matches!(index, 4 | 6 | 8 | 10) {
                    "-"
                } else {
                    ""
                };
                let _ = write!(out, "{dash}{byte:02x}");
            }
            out.push('"');
        }
        Meaning::Float16 => match bytes {
            [low, high] => {
                let value = half(u16::from_le_bytes([*low, *high]));
                float(&value, value.is_nan(), out);
            }
            _ => text(bytes, out),
        },
        _ => text(bytes, out),
    }
}

fn text(bytes: &[u8], out: &mut String) {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => serde_json::to_string(text),
        Err(_) => serde_json::to_string(&format!(
            "[binary, {} bytes] {}",
            bytes.len(),
            String::from_utf8_lossy(bytes)
        )),
    };
    out.push_str(text.as_deref().unwrap_or("null"));
}

/// A number of half precision.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: i64, meaning: Meaning) -> String {
        let mut out = String::new();
        whole(value, meaning, &mut out);
        out
    }

    #[test]
    fn numbers_have_their_meaning() {
        assert_eq!(written(20_000, Meaning::Date), "\"2024-10-04\"");
        assert_eq!(written(-1, Meaning::Date), "\"1969-12-31\"");
        assert_eq!(written(3_661_000, Meaning::Time(MILLI)), "\"01:01:01\"");
        let stamp = "\"2024-10-04T00:00:00.5Z\"";
        assert_eq!(
            written(1_728_000_000_500, Meaning::Timestamp(MILLI, true)),
            stamp
        );
        assert_eq!(
            written(i64::MAX, Meaning::Timestamp(MILLI, true)),
            i64::MAX.to_string()
        );
        assert_eq!(written(-12_345, Meaning::Decimal(2)), "-123.45");
        assert_eq!(written(5, Meaning::Decimal(3)), "0.005");
    }

    #[test]
    fn bytes_that_are_no_text_are_marked() {
        let mut out = String::new();
        text(b"\xff\"", &mut out);
        assert_eq!(out, "\"[binary, 2 bytes] \u{fffd}\\\"\"");
        let mut out = String::new();
        bytes(&[0xff, 0xff], Meaning::Decimal(1), &mut out);
        assert_eq!(out, "-0.1");
        assert_eq!(
            (half(0x3c00), half(0xc000), half(1)),
            (1.0, -2.0, 2.0_f32.powi(-24))
        );
    }
}
