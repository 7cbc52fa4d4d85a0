//! The questions of `amidst init`: each column with its guess, then k.

use std::io::{self, BufRead, Write};

use amidst::pipeline::Guess;
use amidst::plan::{Plan, Role};

use crate::{Stop, print};

/// What can be answered, by its first letter.
const ANSWERS: &[(char, Role, &str)] = &[
    ('i', Role::Identifier, "identifier: names a person; left out"),
    ('p', Role::Person, "person: says whose a row is, where a person can have several; left out"),
    ('q', Role::Quasi, "quasi: others may know it of a person; generalized"),
    (
        's',
        Role::Sensitive,
        "sensitive: nobody may learn it about a person; published, with enough other values around it",
    ),
    ('o', Role::Other, "other: harmless; published as it is"),
];

/// Asks what each column is, and for k. An empty answer takes the guess.
pub fn ask(plan: &mut Plan, guesses: &[Guess], reasons: &mut [String]) -> Result<(), Stop> {
    let mut text = "What is each column? Answer with a letter, or press Enter for the guess.\n\n".to_owned();
    for (letter, _, about) in ANSWERS {
        text += &format!("  {letter}  {about}\n");
    }
    text += "  a  take this guess and all that follow\n\n";
    print(&text)?;
    let width = plan.columns.keys().map(|name| name.chars().count()).max().unwrap_or(0).min(30);
    for (((name, column), guess), reason) in plan.columns.iter_mut().zip(guesses).zip(reasons) {
        print(&format!("{name:width$}  {}\n", guess.reason))?;
        let proposed =
            ANSWERS.iter().find(|(_, role, _)| *role == guess.column.role).map_or('o', |(letter, ..)| *letter);
        let answer = answer(&format!("{:width$}  [{proposed}] ", ""), |answer| {
            let letter = answer.chars().next()?.to_ascii_lowercase();
            (letter == 'a' || ANSWERS.iter().any(|(known, ..)| *known == letter)).then_some(letter)
        })?;
        match answer {
            Some('a') => break,
            Some(letter) if letter != proposed => {
                let role =
                    ANSWERS.iter().find(|(known, ..)| *known == letter).map_or(Role::Other, |(_, role, _)| *role);
                let (chosen, about) = guess.with_role(role);
                *column = chosen;
                *reason = format!("{about}; as you said");
            }
            _ => {}
        }
        if let ([one, other], Role::Quasi) = (guess.formats.as_slice(), column.role) {
            let first = |format: &str| if format.find('d') < format.find('m') { "day" } else { "month" };
            let question = format!(
                "{:width$}  which is first, the {} or the {}? [neither: keep it as text] ",
                "",
                first(one),
                first(other)
            );
            let chosen = self::answer(&question, |answer| {
                [one, other].into_iter().find(|format| first(format).starts_with(&answer.to_lowercase()))
            })?;
            if let Some(format) = chosen {
                *column = guess.with_format(format);
                *reason = format!("dates, the {} first; as you said", first(format));
            }
        }
    }
    let k = plan.privacy.k;
    let asked = answer(&format!("\nAmong how many should every record hide? k [{k}] "), |answer| {
        answer.parse().ok().filter(|k: &usize| *k >= 1)
    })?;
    plan.privacy.k = asked.unwrap_or(k);
    print("\n")
}

/// Asks until the answer can be read. `None` is an empty answer.
fn answer<T>(question: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Stop> {
    loop {
        print(question)?;
        io::stdout().flush().ok();
        let mut line = String::new();
        let length = io::stdin().lock().read_line(&mut line);
        let length = length.map_err(|e| Stop::usage(format!("cannot read the answer: {e}; nothing was written")))?;
        if length == 0 {
            return Err(Stop::usage("the answers ended early; nothing was written"));
        }
        let line = line.trim();
        if line.is_empty() {
            return Ok(None);
        }
        if let Some(answer) = read(line) {
            return Ok(Some(answer));
        }
    }
}
