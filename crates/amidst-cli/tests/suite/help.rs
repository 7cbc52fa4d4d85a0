//! What amidst says about itself. After a change on purpose: `INSTA_UPDATE=always cargo test -p amidst-cli`.

use crate::support::Folder;

const COMMANDS: [&str; 10] =
    ["init", "anonymize", "audit", "explain", "attack", "risk", "list", "demo", "completions", "man"];

fn printed(args: &str) -> String {
    let run = Folder::new().run(args).ok();
    assert_eq!(run.stderr, "");
    run.stdout
}

#[test]
fn the_help() {
    insta::assert_snapshot!("amidst", printed("--help"));
    insta::assert_snapshot!("anonymize", printed("anonymize --help"));
    insta::assert_snapshot!("audit", printed("audit --help"));
    insta::assert_snapshot!("explain", printed("explain --help"));
    insta::assert_snapshot!("attack", printed("attack --help"));
    insta::assert_snapshot!("risk", printed("risk --help"));
}

#[test]
fn the_partitioners() {
    insta::assert_snapshot!("partitioners", printed("list partitioners"));
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&format!("completions {shell}"));
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
        }
        assert!(script.contains("partitioner"), "{shell}");
    }
}

#[test]
fn the_manual_page_names_every_command() {
    let page = printed("man");
    assert!(page.contains(".TH amidst 1"), "{page}");
    for command in COMMANDS {
        assert!(page.contains(command), "{command}");
    }
}
