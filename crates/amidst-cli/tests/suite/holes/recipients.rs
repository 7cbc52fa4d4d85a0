//! What recipients got told the seed, and which of the tables that could be was the input: there was one report for all.

use crate::support::{Folder, PEOPLE, ROLES};

const REPORTS: &str = "--report in.html --report in.json --report in.txt \
                       --public-report out.html --public-report out.json --public-report out.txt";

fn made() -> Folder {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2 --seed 271828182845 {REPORTS}")).ok();
    folder
}

/// What a line of the stored plan says.
fn planned(folder: &Folder, key: &str) -> String {
    let text = folder.text("release.plan.toml");
    let value =
        text.lines().find_map(|line| line.strip_prefix(&format!("{key} = "))).unwrap_or_else(|| panic!("{text}"));
    value.trim_matches('"').to_owned()
}

#[test]
fn the_report_for_recipients_has_no_secrets() {
    let folder = made();
    let key = planned(&folder, "fingerprint_key");
    let secrets = [
        "271828182845",
        key.as_str(),
        // SHA-256 of the bytes of PEOPLE, by sha256sum.
        "197ba2b9aae9bbd9250437382c7ed4434369dc784d140f9be4d2155213dc612d",
        "people.csv",
        "plan.toml",
        "amidst anonymize",
        "engine",
        "Ann",
    ];
    for form in ["html", "json", "txt"] {
        let (internal, public) = (folder.text(&format!("in.{form}")), folder.text(&format!("out.{form}")));
        for secret in &secrets[..3] {
            assert!(internal.contains(secret), "{form}: {secret}");
        }
        // The style of a page has numbers of its own.
        let public = public.split_once("</style>").map_or(public.as_str(), |(_, body)| body);
        for secret in secrets {
            assert!(!public.contains(secret), "{form}: {secret}: {public}");
        }
        assert!(internal.to_lowercase().contains("internal: not for recipients"), "{form}");
        assert!(public.to_lowercase().contains("for recipients") && !public.contains("not for recipients"), "{form}");
    }
}

#[test]
fn every_field_for_recipients_is_there_on_purpose() {
    let folder = made();
    let report: serde_json::Value = serde_json::from_str(&folder.text("out.json")).unwrap();
    let names: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "audience",
        // The reasons that the release itself shows.
        "verdict",
        // Who hands it out, to whom and for what, as far as the plan says. It names no profile.
        "about",
        "amidst",
        "made",
        "form",
        "hiding",
        // Both are asked for, and not counted.
        "persons",
        "k",
        "rows",
        "classes",
        "achieved",
        "class_sizes",
        "promises",
        "risk",
        "threshold",
        "suppress",
        "drop_missing",
        "lm",
        "columns",
        "files",
    ];
    assert_eq!(names, expected);
    // Eight people of 21 to 69 in pairs that are 2, 3, 4 and 2 apart, each in one city: 2 · 11 / 48 / 8 / 2 is lost, which is 0.029.
    assert_eq!(report["lm"], 0.03);
    // What they have by its fingerprint, the others by one that takes the key.
    let files = report["files"].as_array().unwrap();
    let internal: serde_json::Value = serde_json::from_str(&folder.text("in.json")).unwrap();
    for (file, all) in files.iter().zip(internal["details"]["files"].as_array().unwrap()) {
        let hidden = ["input", "plan"].contains(&file["what"].as_str().unwrap());
        assert_eq!(
            file.get("sha256").is_none() && file.get("name").is_none() && file.get("bytes").is_none(),
            hidden,
            "{file}"
        );
        let same = if hidden { "hmac_sha256" } else { "sha256" };
        assert!(file[same] == all[same] && file[same].is_string(), "{file} {all}");
    }
    assert_eq!(files.iter().filter(|file| file.get("hmac_sha256").is_some()).count(), 2);
}

#[test]
fn files_say_whom_they_are_for() {
    let folder = made();
    assert!(folder.text("release.plan.toml").starts_with("# INTERNAL: not for recipients."));
    let run = folder
        .run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2 --report in.html --public-report out.html"))
        .ok();
    assert!(
        run.stdout.contains("\nhand out   release.csv, release.dictionary.json, release.manifest.json, out.html\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("\nkeep       release.plan.toml, in.html\n"), "{}", run.stdout);
    // What is printed may be read by anybody.
    assert!(!run.stdout.contains(&planned(&folder, "seed")), "{}", run.stdout);
    let dictionary = folder.text("release.dictionary.json");
    assert!(
        !dictionary.contains(&planned(&folder, "seed")) && !dictionary.contains(&planned(&folder, "fingerprint_key"))
    );
}

#[test]
fn a_release_in_parquet_carries_no_secrets() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o release.parquet {ROLES} --k 2 --seed 271828182845")).ok();
    let bytes = folder.bytes("release.parquet");
    for secret in ["271828182845", "seed", "people.csv", planned(&folder, "fingerprint_key").as_str()] {
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret}");
    }
}

#[test]
fn the_same_plan_gives_the_same_keyed_fingerprint() {
    let folder = made();
    folder.run("anonymize people.csv -o release.csv --plan release.plan.toml --public-report again.json").ok();
    let files = |name: &str| {
        let report: serde_json::Value = serde_json::from_str(&folder.text(name)).unwrap();
        let mut files: Vec<String> = report["files"].as_array().unwrap().iter().map(ToString::to_string).collect();
        files.sort();
        files
    };
    assert_eq!(files("again.json"), files("out.json"));
}

#[test]
fn a_stream_has_no_plan_so_the_seed_is_said() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = folder.run(&format!("anonymize people.csv -o - {ROLES} --k 2 --seed 271828182845")).ok();
    assert!(run.stderr.contains("seed       271828182845; keep it secret"), "{}", run.stderr);
    assert!(!run.stdout.contains("271828182845"));
}
