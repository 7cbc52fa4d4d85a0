//! Tests of what single values look like.

use std::net::IpAddr;

/// A share in words. A share above 0 is never shown as 0 %.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent >= 99.95 => "all values".to_owned(),
        percent if percent < 0.1 => "less than 0.1 % of the values".to_owned(),
        percent => format!("{percent:.1} % of the values"),
    }
}

/// Whether some word of a text passes a test.
fn any_word(text: &str, passes: impl Fn(&str) -> bool) -> bool {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '<' | '>' | '"')).any(passes)
}

/// Whether a text is or contains an address such as `somebody@somewhere.org`.
pub(super) fn email(text: &str) -> bool {
    text.contains('@')
        && any_word(text, |word| {
            let Some((person, place)) = word.trim_end_matches('.').split_once('@') else { return false };
            let labels: Vec<&str> = place.split('.').collect();
            let top = labels.last().is_some_and(|top| top.len() >= 2 && top.bytes().all(|b| b.is_ascii_alphabetic()));
            !person.is_empty() && labels.len() >= 2 && top && labels.iter().all(|label| !label.is_empty())
        })
}

/// Whether a text is or contains an address such as `https://…` or `www.…`.
pub(super) fn url(text: &str) -> bool {
    any_word(text, |word| {
        let begins = |start: &str| word.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
        ["http://", "https://", "ftp://", "www."].iter().any(|start| begins(start) && word.len() > start.len() + 2)
    })
}

/// Whether a text consists of groups of digits of these lengths, separated by `between`.
fn grouped(text: &str, lengths: &[usize], between: char) -> bool {
    let groups: Vec<&str> = text.split(between).collect();
    let digits = |(group, length): (&&str, &usize)| group.len() == *length && group.bytes().all(|b| b.is_ascii_digit());
    groups.len() == lengths.len() && groups.iter().zip(lengths).all(digits)
}

/// Whether a text is or contains a number such as `123-45-6789`.
pub(super) fn social_security(text: &str) -> bool {
    text.contains('-') && any_word(text, |word| grouped(word, &[3, 2, 4], '-'))
}

/// Whether a text is written like a telephone number: with a leading `+`, or in groups as in North America.
pub(super) fn phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let other = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '(' | ')' | '/' | '+');
    if !text.chars().all(other) {
        return false;
    }
    let plain: String = text.strip_prefix("1-").unwrap_or(text).chars().filter(|c| !matches!(c, '(' | ')')).collect();
    let plain = plain.replace(' ', "-");
    (text.starts_with('+') && (8..=15).contains(&digits))
        || [['-'], ['.']].iter().any(|[between]| grouped(&plain, &[3, 3, 4], *between))
}

/// Whether a text is an IPv4 or IPv6 address.
pub(super) fn ip_address(text: &str) -> bool {
    (text.contains("::") || text.matches(':').count() == 7 || text.matches('.').count() == 3)
        && text.parse::<IpAddr>().is_ok()
}

/// Whether a text is a MAC address: six pairs of hexadecimal digits.
pub(super) fn hardware_address(text: &str) -> bool {
    [':', '-'].iter().any(|between| {
        let pairs: Vec<&str> = text.split(*between).collect();
        pairs.len() == 6 && pairs.iter().all(|pair| pair.len() == 2 && pair.bytes().all(|b| b.is_ascii_hexdigit()))
    })
}

/// Whether a text is a vehicle identification number: 17 letters and digits, the ninth of which is a check digit (49 CFR 565.15).
pub(super) fn vehicle(text: &str) -> bool {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let letters = |c: u8| match c.to_ascii_uppercase() {
        b'A' | b'J' => Some(1),
        b'B' | b'K' | b'S' => Some(2),
        b'C' | b'L' | b'T' => Some(3),
        b'D' | b'M' | b'U' => Some(4),
        b'E' | b'N' | b'V' => Some(5),
        b'F' | b'W' => Some(6),
        b'G' | b'P' | b'X' => Some(7),
        b'H' | b'Y' => Some(8),
        b'R' | b'Z' => Some(9),
        digit => (digit as char).to_digit(10),
    };
    let values: Option<Vec<u32>> = text.bytes().map(letters).collect();
    let Some(values) = values.filter(|values| values.len() == WEIGHTS.len()) else { return false };
    let sum: u32 = values.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum();
    let right = match sum % 11 {
        10 => 'X',
        digit => char::from_digit(digit, 10).unwrap_or('0'),
    };
    let ninth = text.as_bytes().get(8).map(|c| c.to_ascii_uppercase() as char);
    ninth == Some(right) && text.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Whether a text is an international bank account number: two letters, digits and letters, and the remainder that ISO 13616 asks for.
pub(super) fn bank_account(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let letters = plain.bytes().take(2).all(|b| b.is_ascii_uppercase());
    let rest = plain.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    if !(15..=34).contains(&plain.len()) || !letters || !rest {
        return false;
    }
    let turned = plain.chars().skip(4).chain(plain.chars().take(4));
    turned.filter_map(|c| c.to_digit(36)).fold(0, |sum, n| if n < 10 { sum * 10 + n } else { sum * 100 + n } % 97) == 1
}

/// Whether a text is the number of a payment card: 13 to 19 digits of which the last confirms the others (Luhn).
pub(super) fn payment_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter(|c| !matches!(c, ' ' | '-')).map_while(|c| c.to_digit(10)).collect();
    let doubled = |(place, digit): (usize, &u32)| if place % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { *digit };
    let only = text.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-'));
    only && (13..=19).contains(&digits.len()) && digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

/// Whether a text is a UUID: five groups of hexadecimal digits.
pub(super) fn uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let hexadecimal = |group: &&str| group.bytes().all(|b| b.is_ascii_hexdigit());
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12] && groups.iter().all(hexadecimal)
}

/// Whether a text is written like the name of a person: two to four words of letters, or `Last, First`.
pub(super) fn person(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let letter = |c: char| c.is_alphabetic() || matches!(c, '.' | '\'' | '’' | '-' | ',');
    let word = |word: &&str| word.chars().all(letter) && word.chars().next().is_some_and(char::is_alphabetic);
    (2..=4).contains(&words.len()) && words.iter().all(word) && words[0].starts_with(char::is_uppercase)
}

/// Whether a text is one word that is written like a surname.
pub(super) fn surname(text: &str) -> bool {
    let letter = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '-');
    text.starts_with(char::is_uppercase) && text.chars().count() >= 2 && text.chars().all(letter)
}

/// Whether a text is the file name of an image, or an image as a data URL.
pub(super) fn image(text: &str) -> bool {
    let name = text.to_ascii_lowercase();
    [".jpg", ".jpeg", ".png", ".gif", ".tif", ".tiff", ".dcm"].iter().any(|end| name.ends_with(end))
        || name.starts_with("data:image/")
}
