//! What the name of a column says: its words, and what they stand for.
//!
//! Names are taken apart where people put words together: at anything that is no letter or digit, at a capital after a small letter, before
//! the last of several capitals, and between letters and digits. `birthDate`, `birth_date`, `Birth date` and `BirthDATE` have two words.

/// Words for somebody who has rows.
const PERSONS: &[&str] = &[
    "person",
    "pid",
    "patient",
    "pat",
    "subject",
    // `USUBJID` and `SUBJID` of clinical trials.
    "subj",
    "usubj",
    "participant",
    "respondent",
    "member",
    "customer",
    "cust",
    "client",
    "user",
    "citizen",
    "resident",
    "insured",
    "beneficiary",
    "bene",
    "student",
    "pupil",
    "employee",
    "emp",
    "staff",
    "passenger",
    "borrower",
    "tenant",
    "voter",
    "donor",
    "inmate",
    "applicant",
    "cardholder",
    "ssn",
    "mrn",
    "passport",
];

/// Words for parts of a person's name, and for what a few persons may share.
const NAMES: &[&str] = &[
    "name",
    "names",
    "firstname",
    "lastname",
    "fullname",
    "username",
    "surname",
    "forename",
    "first",
    "middle",
    "last",
    "maiden",
    "given",
    "email",
    "mail",
    "vorname",
    "nachname",
    "prenom",
    "nombre",
    "apellido",
    "apellidos",
];

/// Words that end the name of an identifier and say nothing about what it identifies.
const NUMBERS: &[&str] = &[
    "id",
    "nr",
    "nbr",
    "no",
    "num",
    "number",
    "key",
    "code",
    "ref",
    "uuid",
    "guid",
    "identifier",
    "pseudonym",
    "hash",
    "nummer",
];

/// Things that have names and are no persons, so `hospital_name` is no name of a person.
const THINGS: &[&str] = &[
    "brand",
    "category",
    "city",
    "class",
    "company",
    "country",
    "county",
    "course",
    "department",
    "dept",
    "district",
    "drug",
    "event",
    "facility",
    "file",
    "group",
    "hospital",
    "industry",
    "item",
    "make",
    "medication",
    "model",
    "organization",
    "plan",
    "procedure",
    "product",
    "program",
    "project",
    "region",
    "school",
    "site",
    "species",
    "state",
    "station",
    "store",
    "team",
    "test",
    "type",
    "unit",
    "ward",
];

/// What the name of a column says that its values stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// Something that is not known to be a person.
    Unknown,
    /// A name, which different persons may share.
    Name,
    /// Something with a number.
    Numbered,
    /// A person.
    Person,
}

/// The words of a name, in lower case.
pub fn split(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut new = true;
    for (place, c) in letters.iter().enumerate() {
        let before = place.checked_sub(1).map(|place| letters[place]);
        let after = letters.get(place + 1);
        let in_word = before.is_some_and(char::is_alphanumeric);
        let humped = before.is_some_and(char::is_lowercase)
            || before.is_some_and(char::is_uppercase) && after.is_some_and(|next| next.is_lowercase());
        let digits = before.is_some_and(|before| before.is_numeric() != c.is_numeric());
        new |= !c.is_alphanumeric() || in_word && (c.is_uppercase() && humped || digits);
        if c.is_alphanumeric() {
            if std::mem::take(&mut new) {
                words.push(String::new());
            }
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        }
    }
    words
}

/// The words of a name, and each two of them as one, because some words may be written apart: `zip code`, `e-mail`, `Social Security`.
pub fn with_pairs(name: &str) -> Vec<String> {
    let words = split(name);
    let pairs: Vec<String> = words.windows(2).map(<[String]>::concat).collect();
    words.into_iter().chain(pairs).collect()
}

/// The last word of a name that is no mere number, and the last two of them as one: `Social Security number` ends with `security` and
/// `socialsecurity`. A name of nothing but numbers ends with its last word.
pub fn heads(name: &str) -> Vec<String> {
    let mut words = split(name);
    let is_mere = |word: &String| is_number(word) || word == "line" || word.bytes().all(|b| b.is_ascii_digit());
    while words.len() > 1 && words.last().is_some_and(is_mere) {
        words.pop();
    }
    let pair = words.len().checked_sub(2).map(|from| words[from..].concat());
    words.pop().into_iter().chain(pair).collect()
}

/// Words after what a column is about, which say in what form it is there: `death_yn`, `Charge Group Description`.
const FORMS: &[&str] =
    &["yn", "flag", "status", "code", "recode", "description", "desc", "label", "labeled", "group", "category", "type"];

/// The heads of a name without the words that say in what form the values are.
pub fn topics(name: &str) -> Vec<String> {
    let mut words = split(name);
    while words.len() > 1 && words.last().is_some_and(|word| FORMS.contains(&word.as_str())) {
        words.pop();
    }
    heads(&words.join(" "))
}

/// What the name of a column says that its values stand for: the last word that is not a mere `id` or `number` decides, so `patient_id` is
/// about patients and `patient_age` is not.
pub fn subject(column: &str) -> Subject {
    let words = split(column);
    let numbered = words.last().is_some_and(|word| is_number(word));
    let head = words.iter().rev().find(|word| !is_number(word)).map(String::as_str);
    let glued = |word: &str| NUMBERS.iter().any(|number| word.strip_suffix(number).is_some_and(is_person));
    match head {
        // Nothing but `NO` may be a chemical, or an answer.
        None if numbered && words != ["no"] => Subject::Numbered,
        Some(word) if is_person(word) || glued(word) => Subject::Person,
        Some(word) if NAMES.contains(&word) => Subject::Name,
        _ => Subject::Unknown,
    }
}

/// Whether a name ends with a word for numbers that tell things apart, such as `id`.
pub fn is_numbered(column: &str) -> bool {
    split(column).last().is_some_and(|word| is_number(word))
}

/// Whether a name says that the column has dates.
pub fn speaks_of_dates(column: &str) -> bool {
    const DATES: &[&str] = &["day", "dob", "dod", "birth", "birthday", "datum", "fecha", "dt"];
    split(column).iter().any(|word| DATES.contains(&word.as_str()) || word.ends_with("date"))
}

/// Whether a name may be about the names of persons: it says `name` or a part of one, and not of which thing.
pub fn is_about_names(column: &str) -> bool {
    let words = split(column);
    let persons = |word: &str| word.strip_suffix("name").is_some_and(is_person);
    let is_name =
        |word: &String| NAMES.contains(&word.as_str()) && !matches!(word.as_str(), "email" | "mail") || persons(word);
    words.last().is_some_and(is_name) && !words.iter().any(|word| THINGS.contains(&word.as_str()))
}

/// What is before a word for numbers that is written together with it: `manager` of `managerid`.
pub(super) fn without_number(word: &str) -> Option<&str> {
    NUMBERS.iter().find_map(|number| word.strip_suffix(number)).filter(|rest| !rest.is_empty())
}

/// Whether a name is nothing but `name`, which may be that of anything.
pub fn is_bare_name(column: &str) -> bool {
    matches!(split(column).as_slice(), [word] if word == "name" || word == "names")
}

fn is_person(word: &str) -> bool {
    PERSONS.contains(&word)
}

fn is_number(word: &str) -> bool {
    NUMBERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(with_pairs("birthDate"), ["birth", "date", "birthdate"]);
        assert_eq!(with_pairs("ZIP_code"), ["zip", "code", "zipcode"]);
        assert_eq!(with_pairs("e-mail"), ["e", "mail", "email"]);
        assert_eq!(with_pairs("AGEP"), ["agep"]);
        assert_eq!(split("IDNumber"), ["id", "number"]);
        assert_eq!(split("HeartDisease"), ["heart", "disease"]);
        assert_eq!(split("address1"), ["address", "1"]);
        assert_eq!(split("HDL2chol"), ["hdl", "2", "chol"]);
        assert_eq!(split("–"), Vec::<String>::new());
    }

    #[test]
    fn subjects() {
        for name in [
            "pid",
            "patient",
            "patient_id",
            "PatientID",
            "patientId",
            "hospital_patient_nr",
            "Customer No",
            "userid",
            "EmpID",
            "patient_nbr",
            "USUBJID",
        ] {
            assert_eq!(subject(name), Subject::Person, "{name}");
        }
        for name in ["id", "uuid", "ID_NUMBER"] {
            assert_eq!(subject(name), Subject::Numbered, "{name}");
        }
        for name in ["last_name", "customer name", "email"] {
            assert_eq!(subject(name), Subject::Name, "{name}");
        }
        let others =
            ["NO", "household_id", "patient_age", "personal_status", "visit", "fnlwgt", "members", "idea", "", "–"];
        for name in others {
            assert_eq!(subject(name), Subject::Unknown, "{name}");
        }
    }

    #[test]
    fn topics_of_names() {
        assert_eq!(topics("death_yn"), ["death"]);
        assert_eq!(topics("Charge Group Description"), ["charge"]);
        assert_eq!(topics("marital status"), ["marital"]);
        assert_eq!(topics("status"), ["status"]);
    }

    #[test]
    fn names_of_persons_and_of_things() {
        for name in ["Name", "FIRST", "MAIDEN", "Employee_Name", "patientname", "last name"] {
            assert!(is_about_names(name), "{name}");
        }
        for name in ["hospital_name", "DrugName", "rename", "email", "first_visit", "Country name"] {
            assert!(!is_about_names(name), "{name}");
        }
    }
}
