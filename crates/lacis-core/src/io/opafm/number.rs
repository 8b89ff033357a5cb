//! Numbers and times as the manager reads them.

/// What a text is where a number is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Nothing.
    Empty,
    /// A number.
    Number(u64),
    /// A number below 0, by its distance from it.
    Negative(u64),
    /// Digits of a number that 64 bits do not hold.
    TooLarge,
    /// Something else.
    Other,
}

/// A number: decimal, or hexadecimal after `0x`, with or without a sign. Leading zeros mean nothing.
pub(crate) fn written(text: &str) -> Written {
    let text = text.trim();
    if text.is_empty() {
        return Written::Empty;
    }
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let (digits, base) = hexadecimal.map_or((digits, 10), |digits| (digits, 16));
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return Written::Other;
    }
    match u64::from_str_radix(digits, base) {
        Err(_) => Written::TooLarge,
        Ok(number) if is_negative && number > 0 => Written::Negative(number),
        Ok(number) => Written::Number(number),
    }
}

/// The number before a unit of time, and the unit: hours, minutes, seconds or parts of them.
pub(crate) fn time(text: &str) -> Option<(Written, &str)> {
    let text = text.trim();
    let units = ["ns", "us", "ms", "s", "m", "h"];
    let is_unit = |unit: &&str| units.iter().any(|known| known.eq_ignore_ascii_case(unit));
    let end = text.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    let unit = text.get(end..).filter(is_unit)?;
    match written(&text[..end]) {
        Written::Empty | Written::Other => None,
        number => Some((number, unit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_or_hexadecimal_with_or_without_a_sign() {
        let cases = [
            ("010", Written::Number(10)),
            (" +8 ", Written::Number(8)),
            ("0x1F", Written::Number(31)),
            ("-0", Written::Number(0)),
            ("-0x10", Written::Negative(16)),
            ("18446744073709551615", Written::Number(u64::MAX)),
            ("18446744073709551616", Written::TooLarge),
            ("", Written::Empty),
            ("0x", Written::Other),
            ("8 0", Written::Other),
            ("--1", Written::Other),
            ("1.5", Written::Other),
        ];
        for (text, is) in cases {
            assert_eq!(written(text), is, "{text}");
        }
    }

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        for text in ["8ms", "8 MS", " 0x8us ", "8s", "8m", "8h", "8ns"] {
            assert_eq!(time(text).map(|t| t.0), Some(Written::Number(8)), "{text}");
        }
        assert_eq!(time("-8ms"), Some((Written::Negative(8), "ms")));
        for text in ["8", "ms", "1.5s", "8sec", "8d", "", "Infinite", "8é"] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}
