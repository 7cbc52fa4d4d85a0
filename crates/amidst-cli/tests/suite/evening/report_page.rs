//! Happening 9: the report told the time of one stage as that of the run, details vanished on paper, hashes ran off a telephone's screen, matrices
//! were full of .00, dates were bars that nobody saw, and jargon came first. What needs a browser is in tests/report.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{DEMO, Folder, PEOPLE, ROLES};

fn json(folder: &Folder, file: &str) -> Value {
    serde_json::from_str(&folder.text(file)).unwrap()
}

/// The pairs of [`PEOPLE`], with all reports.
fn reported(flags: &str) -> Folder {
    let folder = Folder::with("people.csv", PEOPLE);
    let reports = "--report r.html --report r.txt --report r.json --public-report p.html --public-report p.txt --public-report p.json";
    folder.run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2 {reports} {flags}")).ok();
    folder
}

#[test]
fn the_time_is_that_of_the_whole_run_with_its_parts() {
    let folder = reported("--certify");
    let seconds = &json(&folder, "r.json")["seconds"];
    let parts = ["read", "partition", "certify", "publish", "verify", "report"];
    let sum: f64 = parts.iter().map(|part| seconds[part].as_f64().unwrap_or_else(|| panic!("{part}: {seconds}"))).sum();
    assert!(seconds["total"].as_f64().unwrap() >= sum * 0.999, "{seconds}");
    let page = folder.text("r.html");
    assert!(page.contains(r#"data-fact="/seconds/total""#) && page.contains(r#"data-fact="/seconds/certify""#));
    let text = folder.text("r.txt");
    let line = text.lines().find(|line| line.starts_with("time ")).unwrap();
    assert!(
        ["read ", "partition ", "prove ", "publish ", "verify ", "measure "].iter().all(|p| line.contains(p)),
        "{line}"
    );
}

#[test]
fn paper_shows_what_is_folded_on_the_screen() {
    let page = reported("").text("r.html");
    let paper = page.split("@media print").nth(1).unwrap();
    assert!(paper.contains("details::details-content { display: block; content-visibility: visible"), "{paper}");
    assert!(!paper.contains("details.data"), "the figures of charts are on paper, too");
}

#[test]
fn models_are_told_in_words_and_their_names_in_small_print() {
    let folder = reported("--l 2 --require t-closeness(t=0.6)");
    let words = "no value of `disease` has more than 1/2 of a class";
    for (page, text) in [("r.html", "r.txt"), ("p.html", "p.txt")] {
        let (page, text) = (folder.text(page), folder.text(text));
        let (said, named) = ("no value of <code>disease</code> has more than 1/2 of a class", "frequency-l(l=2)");
        assert!(page.find(said).unwrap() < page.find(named).unwrap(), "{page}");
        assert!(page.contains(r#"<code class="jargon">frequency-l(l=2)</code>"#));
        assert!(text.find(words).unwrap() < text.find(named).unwrap(), "{text}");
        assert!(page.contains("spread as in the whole table, up to a distance of 0.6"), "{page}");
        assert!(page.contains("every record looks like at least 1 other record in all quasi-identifiers"), "{page}");
    }
    let promise = &json(&folder, "r.json")["details"]["promises"][1];
    // In each pair of PEOPLE both diseases are different.
    let of_promise = ["words", "reached_in_words", "asked"].map(|field| promise[field].as_str().unwrap());
    assert_eq!(of_promise, [words, "at most 50.0 % of a class", "frequency-l(l=2)"]);
}

#[test]
fn the_first_card_says_what_is_released_to_whom_and_what_remains() {
    let about = "--about recipient=Oslo --about signed-by=Ann --about date=2026-11-19";
    let folder = reported(about);
    let page = folder.text("r.html");
    let card = &page[..page.find(r#"<section id="rows""#).unwrap()];
    for said in
        ["Released", "Oslo", "Checked", "Remains", "Made less precise: 2 columns", "Left out: 1 column", "Not checked"]
    {
        assert!(card.contains(said), "{said}: {card}");
    }
    // Of the six fields three are given. The purpose stands in the card, too.
    assert_eq!(card.matches(r#"<span class="blank""#).count(), 3 + 1, "{card}");
    let report = json(&folder, "r.json");
    assert_eq!(report["about"], serde_json::json!({ "recipient": "Oslo", "signed_by": "Ann", "date": "2026-11-19" }));
    let text = folder.text("r.txt");
    assert!(text.contains("recipient    Oslo\n") && text.contains("contact      ____"), "{text}");
    // Recipients read the same names, and the stored plan keeps them.
    assert!(folder.text("p.txt").contains("recipient  Oslo\n") && folder.text("p.html").contains("Oslo"));
    assert!(folder.text("release.plan.toml").contains("[report]\nrecipient = \"Oslo\""));
    folder.run("anonymize people.csv -o again.csv --plan release.plan.toml --report again.json").ok();
    assert_eq!(json(&folder, "again.json")["about"], report["about"]);
    let refused = folder.run(&format!("anonymize people.csv -o no.csv {ROLES} --k 2 --about recipent=Oslo"));
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("a report has no field `recipent`")
            && refused.stderr.contains("did you mean `recipient`?")
    );
}

#[test]
fn six_rows_are_those_of_the_release_whatever_its_order() {
    let folder = reported("--keep-order");
    let sample = json(&folder, "r.json")["details"]["sample"].clone();
    assert_eq!(sample["columns"], serde_json::json!(["age", "city", "disease"]));
    let released = folder.text("release.csv");
    let rows: Vec<String> = sample["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect::<Vec<_>>().join(","))
        .collect();
    assert_eq!(rows.len(), 6);
    assert!(rows.iter().all(|row| released.lines().any(|line| line == row)), "{rows:?}");
    // Each of the four classes has a row, before any has two.
    let mut first: Vec<&str> = rows[..4].iter().map(|row| row.split(',').next().unwrap()).collect();
    first.sort_unstable();
    assert_eq!(first, ["[21-23]", "[31-34]", "[51-55]", "[67-69]"]);
    for seed in ["--seed 1", "--seed 2"] {
        assert_eq!(json(&reported(seed), "r.json")["details"]["sample"], sample, "{seed}");
    }
}

#[test]
fn dates_are_drawn_by_month_quarter_or_year() {
    // 600 days from 2020-01-01 on, two rows each; a sensitive date, and one that is generalized.
    let mut table = "born,seen,sex\n".to_owned();
    for row in 0..1200 {
        let day = chrono(row / 2);
        writeln!(table, "{day},{day},{}", ["f", "m"][row % 2]).unwrap();
    }
    let folder = Folder::with("days.csv", &table);
    folder
        .run("anonymize days.csv -o r.csv --quasi born,sex --sensitive seen --k 5 --report r.html --report r.json")
        .ok();
    let report = json(&folder, "r.json");
    let page = folder.text("r.html");
    for column in ["born", "seen"] {
        let found = report["details"]["columns"].as_array().unwrap().iter().find(|c| c["name"] == column).unwrap();
        let distribution = &found["distribution"];
        assert_eq!(distribution["kind"], "numbers", "{distribution}");
        let bins = distribution["bins"].as_array().unwrap();
        // From January 2020 to August 2021.
        assert_eq!(
            (bins.len(), bins[0]["label"].as_str(), bins[19]["label"].as_str()),
            (20, Some("2020-01"), Some("2021-08"))
        );
        // 31 days, two rows each.
        assert_eq!(bins[0]["before"], 62.0);
    }
    assert!(page.contains("2020-01\n") || page.contains("2020-01<"), "{page}");
}

/// The day so many days after 2020-01-01.
fn chrono(days: usize) -> String {
    let months = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 28, 31, 30, 31, 30, 31, 31];
    let (mut rest, mut month) = (days, 0);
    while rest >= months[month] {
        rest -= months[month];
        month += 1;
    }
    format!("{}-{:02}-{:02}", 2020 + month / 12, month % 12 + 1, rest + 1)
}

#[test]
fn associations_are_pairs_and_not_a_matrix_of_zeros() {
    let mut table = String::from("a,b,c,d,e\n");
    for row in 0..400_usize {
        let mix = |step: usize| row.wrapping_mul(step) / 7 % 4;
        writeln!(table, "{},{},{},{},{}", row % 4, mix(11), mix(13), mix(17), row % 4).unwrap();
    }
    let folder = Folder::with("table.csv", &table);
    folder.run("anonymize table.csv -o r.csv --quasi a,b,c --sensitive d,e --k 5 --report r.html --report r.json").ok();
    let page = folder.text("r.html");
    assert!(!page.contains("\n.00\n") && !page.contains(">.00<"), "no cells of .00");
    // `a` determines `e` before; their φ² is 1 by definition.
    assert!(page.contains(r#"value="1" data-fact="/details/correlations/before/0/4""#), "{page}");
    assert_eq!(json(&folder, "r.json")["details"]["correlations"]["before"][0][4], 1.0);
}

#[test]
fn shares_are_rounded_alike_everywhere() {
    let folder = reported("--l 2 --certify");
    for file in ["r.html", "r.txt", "p.html", "p.txt"] {
        let text = folder.text(file);
        for (place, _) in text.match_indices(" %") {
            let number = text[..place].rsplit(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').next().unwrap();
            // Axes have no decimals, and a title such as `error, %` has no number.
            if !number.contains(|c: char| c.is_ascii_digit()) || ["0", "100"].contains(&number) {
                continue;
            }
            let decimals = number.rsplit_once('.').map_or(0, |(_, decimals)| decimals.len());
            let small = number.parse::<f64>().is_ok_and(|number| number < 1.0);
            assert_eq!(decimals, if small { 2 } else { 1 }, "{file}: {number} %");
        }
    }
}

#[test]
fn checklists_have_figures_with_their_places_and_blanks_for_people() {
    let folder = reported("--profile hipaa --profile gdpr,ema,iso27559");
    let report = json(&folder, "r.json");
    let lists = report["details"]["checklists"].as_array().unwrap();
    let names: Vec<_> = lists.iter().map(|list| list["profile"].as_str().unwrap()).collect();
    assert_eq!(names, ["hipaa", "gdpr", "ema", "iso27559"]);
    let items = || lists.iter().flat_map(|list| list["items"].as_array().unwrap());
    for figure in items().flat_map(|item| item["figures"].as_array().unwrap()) {
        let place = figure["place"].as_str().unwrap();
        let true_value = report.pointer(place).unwrap_or_else(|| panic!("{place}"));
        assert_eq!(figure["value"].as_f64(), true_value.as_f64(), "{place}");
    }
    let answer = |list: usize, section: &str| {
        let item = lists[list]["items"].as_array().unwrap().iter().find(|item| item["section"] == section);
        item.unwrap()["answer"].as_str().unwrap()
    };
    // Safe Harbor has 18 kinds of identifiers. A city is a place smaller than a state, and is generalized; there is no fax number.
    assert_eq!(
        lists[0]["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|i| i["section"].as_str().unwrap().contains("(b)(2)(i)("))
            .count(),
        18
    );
    assert_eq!(answer(0, "Safe Harbor, (b)(2)(i)(B)"), "open");
    assert_eq!(answer(0, "Safe Harbor, (b)(2)(i)(E)"), "nothing-found");
    assert_eq!(answer(0, "Safe Harbor, (b)(2)(ii)"), "open");
    // Pairs: nobody is alone, but one in two is far above 0.09.
    assert_eq!(answer(1, "WP216, section 3: singling out"), "met");
    assert_eq!(answer(2, "Threshold 0.09"), "not-met");
    let page = folder.text("r.html");
    let open = items().filter(|item| item["answer"] == "open").count();
    let section = &page[page.find(r#"id="checklists""#).unwrap()..page.find(r#"<section id="loss""#).unwrap()];
    assert_eq!(section.matches(r#"<span class="blank">"#).count(), open, "a line for each open question");
    assert!(!section.to_lowercase().contains("compliant"));
    let text = folder.text("r.txt");
    assert!(text.contains("checklist: HIPAA") && text.contains("(/details/risk/after/prosecutor/highest)"), "{text}");
    // Recipients get no checklists, and a profile that is none is refused.
    assert!(json(&folder, "p.json")["about"].get("profiles").is_none());
    let refused = folder.run(&format!("anonymize people.csv -o no.csv {ROLES} --k 2 --profile hippa"));
    assert!(refused.code == 2 && refused.stderr.contains("`hippa` is none of the profiles hipaa, gdpr, ema, iso27559"));
}

#[test]
fn a_class_of_eleven_keeps_the_threshold_of_ema() {
    // Four groups of twelve: a risk of 1/12, which is below 0.09.
    let rows: String = (0..48).map(|row| format!("{},{}\n", row / 12, ["flu", "cold", "gout"][row % 3])).collect();
    let folder = Folder::with("table.csv", format!("age,disease\n{rows}"));
    let run = "anonymize table.csv -o r.csv --quasi age --sensitive disease --profile ema --report r.json";
    folder.run(&format!("{run} --k 11")).ok();
    let item = json(&folder, "r.json")["details"]["checklists"][0]["items"][0].clone();
    assert_eq!((item["answer"].as_str(), item["figures"][1]["value"].as_f64()), (Some("met"), Some(12.0)), "{item}");
}

/// A file of the project.
fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

#[test]
fn the_figures_in_the_readme_are_those_of_their_sources() {
    let readme = document("README.md").replace("**", "");
    let listed = |list: &str| -> Vec<String> {
        let found = Folder::new().run(&format!("list {list} --json")).ok().json();
        found.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
    };
    // Of the constraints, two are about the size of a class.
    let models =
        listed("constraints").iter().filter(|name| !["k-anonymity", "household-k"].contains(&name.as_str())).count();
    let words =
        ["no", "one", "two", "three", "four", "five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"];
    for figure in [
        format!("{} models for sensitive values", words[models]),
        format!("{} forms of release", words[listed("publishers").len()]),
        format!("[{} measures]", listed("measures").len()),
    ] {
        assert!(readme.contains(&figure), "{figure}");
    }
    // The table of Adult by ranges and sets: k, Mondrian, the engine.
    let engine = document("docs/figures/engine.md");
    let rows = engine.lines().skip_while(|line| !line.starts_with("| k | Mondrian |")).skip(2).take(3);
    let gain = |row: &str| {
        let cells: Vec<f64> = row.split('|').filter_map(|cell| cell.trim().split(',').next()?.parse().ok()).collect();
        assert!([10.0, 50.0, 100.0].contains(&cells[0]), "{row}");
        1.0 - cells[2] / cells[1]
    };
    let least = rows.map(gain).fold(1.0, f64::min);
    let told = "at k = 10, 50 and 100, the default algorithm loses at least 37 % less than\n  Mondrian";
    assert!(readme.contains(told) && (0.37..0.38).contains(&least), "{least}");
    assert!(readme.contains("665,800 rows of census data in 5.7 seconds on two cores"));
    let time = document("docs/figures/time.md");
    assert!(time.lines().any(|line| line.contains("665,800 rows;") && line.contains("; the engine | 5.7 s |")));
}

#[test]
fn the_picture_in_the_readme_is_that_of_the_demo() {
    let picture = document("docs/demo.svg");
    let marks = [("&#160;", " "), ("&#x27;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    let shown = marks.iter().fold(picture, |text, (mark, means)| text.replace(mark, means));
    let printed = &DEMO.stdout[..DEMO.stdout.find("\nmeasures").unwrap()];
    let same = |line: &&str| !line.is_empty() && !line.starts_with("time ") && !line.starts_with("memory ");
    for line in printed.lines().filter(same) {
        assert!(shown.contains(line.trim_end()), "run `make pictures`: the picture lacks\n{line}");
    }
    assert!(shown.contains("verdict    GREEN"));
}
