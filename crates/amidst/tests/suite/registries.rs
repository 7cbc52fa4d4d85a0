//! The lists of algorithms, measures, constraints and publishers are in order.

use amidst::internals::registry::{Entry, Param, Range, Spec, Value};
use amidst::internals::{attack, constraint, cost, measure, partition, publish, refine};

use crate::hard;
use crate::tables::{load, specs};

/// What is wrong with a list.
fn flaws<B>(list: &[Entry<B>]) -> Vec<String> {
    let mut flaws = Vec::new();
    for (i, Entry { name, about, paper, params, .. }) in list.iter().enumerate() {
        let mut flaw = |bad: bool, what: &str| flaws.extend(bad.then(|| format!("{name}: {what}")));
        let plain = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')
        };
        let line = |text: &str| !text.trim().is_empty() && !text.contains('\n');
        flaw(list[..i].iter().any(|e| e.name == *name), "the name is taken");
        flaw(!plain(name), "the name is not in lower case");
        flaw(!line(about), "it is not described in one line");
        flaw(!line(paper), "its paper is not named in one line");
        for (i, Param { name, about, range, default }) in params.iter().enumerate() {
            flaw(params[..i].iter().any(|p| p.name == *name), &format!("parameter {name} is there twice"));
            flaw(!plain(name) || !line(about), &format!("parameter {name} is not named or described well"));
            let within = match (range, default) {
                (_, None) => true,
                (Range::Integer(lo, hi), Some(Value::Integer(v))) => lo <= v && v <= hi,
                (Range::Number(lo, hi), Some(Value::Number(v))) => lo <= v && v <= hi,
                (Range::Choice(words), Some(Value::Word(v))) => words.contains(v),
                _ => false,
            };
            flaw(!within, &format!("the default of {name} is outside its range"));
            flaw(matches!(range, Range::Choice(w) if w.len() < 2), &format!("{name} offers no choice"));
        }
    }
    flaws
}

#[test]
fn every_entry_is_named_described_and_bounded() {
    let nothing: Vec<String> = Vec::new();
    assert_eq!(flaws(partition::ALL), nothing);
    assert_eq!(flaws(cost::ALL), nothing);
    assert_eq!(flaws(constraint::ALL), nothing);
    assert_eq!(flaws(publish::ALL), nothing);
    assert_eq!(flaws(refine::ALL), nothing);
    assert_eq!(flaws(measure::ALL), nothing);
    assert_eq!(flaws(attack::ALL), nothing);
}

#[test]
fn objectives_and_figures_share_no_name() {
    // Both are asked for in one list.
    for objective in cost::ALL {
        assert!(measure::ALL.iter().all(|figure| figure.name != objective.name), "{}", objective.name);
    }
}

#[test]
fn flaws_are_found() {
    let param = Param { name: "n", about: "", range: Range::Integer(1, 3), default: Some(Value::Integer(4)) };
    let params: &'static [Param] = Box::leak(Box::new([param]));
    let list = [
        Entry { name: "twice", about: "one line", paper: "a paper", params: &[], build: () },
        Entry { name: "twice", about: "", paper: "two\nlines", params: &[], build: () },
        Entry { name: "Upper", about: "one line", paper: "a paper", params, build: () },
    ];
    assert_eq!(flaws(&list).len(), 6, "{:?}", flaws(&list));
}

/// The entries that need no parameter, by name alone, and all of them with every choice spelled out.
fn asked_for<B>(list: &[Entry<B>]) -> Vec<Spec> {
    let complete = |entry: &&Entry<B>| entry.params.iter().all(|p| p.default.is_some());
    list.iter().filter(complete).map(|e| Spec::new(e.name)).chain(specs(list)).collect()
}

#[test]
fn every_entry_can_be_built_by_its_name() {
    let encoded = hard::tables(2)[0].1.load().encoded;
    for spec in asked_for(partition::ALL) {
        assert!(partition::build(&spec).is_ok(), "{spec}");
    }
    for spec in asked_for(cost::ALL) {
        assert!(cost::build(&spec, &encoded).is_ok(), "{spec}");
    }
    // A column of numbers has an order, the other one has a tree.
    let plan = "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"set\" }\nn = { role = \"sensitive\" }\n\
                t = { role = \"sensitive\", hierarchy = { flat = \"*\" } }";
    let sensitive = load("x,n,t\na,1,b\na,2,c\n", plan).encoded;
    let attributes = constraint::attributes(&sensitive);
    // Those that count households need a table that says whose they are.
    let plan = "[privacy]\nk = 2\nrequire = [\"household-k(k=2)\"]\n[columns]\nx = { role = \"quasi\", kind = \"set\" }\n\
                h = { role = \"household\" }";
    let loaded = load("x,h\na,1\na,2\n", plan);
    assert_eq!(constraint::all(&loaded.plan, &loaded.encoded).unwrap().len(), 2);
    for spec in asked_for(constraint::ALL).iter().filter(|spec| spec.name() != "household-k") {
        assert!(attributes.iter().any(|a| constraint::build(spec, &[*a]).is_ok()), "{spec}");
    }
    for spec in asked_for(publish::ALL) {
        assert!(publish::build(&spec).is_ok(), "{spec}");
    }
    for spec in asked_for(attack::ALL) {
        assert!(attack::build(&spec).is_ok(), "{spec}");
    }
    for spec in asked_for(refine::ALL) {
        assert!(refine::build(&spec).is_ok(), "{spec}");
    }
}
