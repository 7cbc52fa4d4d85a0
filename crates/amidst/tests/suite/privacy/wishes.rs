//! Several sensitive columns, and what persons ask for themselves.

use amidst::internals::registry::Spec;
use amidst::internals::verify::{self, Files, wishes};
use amidst::internals::{constraint, partition};
use amidst::progress::Progress;

use super::{counting, table};
use crate::members::specs_of;
use crate::tables::load;

#[test]
fn every_column_is_asked_for_itself() {
    let csv = "class,s,t\na,1,1\na,2,1\nb,1,2\nb,2,2\n";
    let plan = "[privacy]\nk = 2\nrequire = [\"t-closeness(t=0.5)\"]\n[columns]\n\
                class = { role = \"quasi\", kind = \"suppress\" }\n\
                s = { role = \"sensitive\", require = [\"distinct-l(l=2)\"] }\nt = { role = \"sensitive\" }\n";
    let loaded = load(csv, plan);
    let constraints = constraint::all(&loaded.plan, &loaded.encoded).unwrap();
    assert_eq!(constraints.len(), 4); // k, t of both, l of one
    let problem = counting(&loaded);
    let hold = |rows: &[u32]| constraints.iter().map(|c| c.holds(&problem.outline(rows))).collect::<Vec<_>>();
    assert_eq!(hold(&[0, 1]), [true; 4]);
    assert_eq!(hold(&[0, 2]), [true, true, true, false]);
    assert_eq!(hold(&[0]), [false, true, true, false]);
    let swapped = load(&csv.replace("class,s,t", "class,t,s"), plan);
    let constraints = constraint::all(&swapped.plan, &swapped.encoded).unwrap();
    assert!(!constraints.iter().all(|c| c.holds(&counting(&swapped).outline(&[0, 1]))));
}

#[test]
fn everybody_gets_what_they_want_and_whoever_says_nothing_wants_nothing() {
    let plan = "[input]\nmissing = [\"99\"]\n[privacy]\nk = 2\n[columns]\n\
                class = { role = \"quasi\", kind = \"suppress\" }\ns = { role = \"sensitive\" }\n";
    // Five persons with the values 1, 2, 2, 1, 2 want this, and each is published in one of these classes.
    let wish = |role: &str, wanted: [&str; 5], published: [&str; 5]| {
        let values = [1, 2, 2, 1, 2];
        let lines =
            |last: [&str; 5]| (0..5).map(|row| format!("{row},{},{}\n", values[row], last[row])).collect::<String>();
        let csv = format!("class,s,wish\n{}", lines(wanted));
        let loaded = load(&csv, &format!("{plan}wish = {{ role = \"{role}\" }}"));
        let release = table(&format!("row,s,class\n{}", lines(published)));
        let files = Files { main: release, beside: rustc_hash::FxHashMap::default() };
        let release = verify::published(&files, &loaded.plan).unwrap().unwrap();
        let classes = &release.classes;
        let order: Vec<u32> = (0..5).collect();
        let by_audit = wishes(&table(&csv), &loaded.plan, &release, &order).unwrap();
        // The constraint thinks the same of the same classes.
        let problem = counting(&loaded);
        let wish = constraint::all(&loaded.plan, &loaded.encoded).unwrap().pop().unwrap();
        let class = |class: u32| (0..5).filter(|row| classes.of_row[*row as usize] == class).collect::<Vec<u32>>();
        let holds = (0..classes.sizes.len() as u32).all(|c| wish.holds(&problem.outline(&class(c))));
        assert_eq!(by_audit.is_ok(), holds, "{role} {wanted:?} {published:?}");
        holds
    };
    let (apart, mixed, together) = (["a", "a", "a", "b", "b"], ["a", "a", "b", "b", "b"], ["*"; 5]);
    let k = ["2", "", "99", "3", "1"];
    assert!(!wish("personal-k", k, apart)); // the fourth is in a class of two
    assert!(wish("personal-k", k, mixed));
    assert!(wish("personal-k", k, together));
    let l = ["1.2", "", "99", "1.6", "1"];
    assert!(wish("personal-l", l, apart));
    assert!(!wish("personal-l", l, mixed)); // the fourth is in a class of 2, 1, 2
    assert!(wish("personal-l", l, together));
}

fn grants_every_wish(partitioner: &str) {
    let mut csv = "age,zip,s,k,l\n".to_owned();
    for i in 0..24 {
        let (k, l) = (if i == 3 { "6" } else { "" }, if i == 20 { "2" } else { "" });
        csv += &format!("{},{},{},{k},{l}\n", 20 + 2 * i, 75_000 + i, i / 3 % 4);
    }
    let plan = "[privacy]\nk = 2\n[columns]\nage = { role = \"quasi\", kind = \"range\" }\n\
                zip = { role = \"quasi\", kind = \"range\" }\ns = { role = \"sensitive\" }\n\
                k = { role = \"personal-k\" }\nl = { role = \"personal-l\" }\n";
    let problem = load(&csv, plan).problem(&Spec::new("lm"), 2).unwrap();
    assert_eq!(problem.constraints.len(), 3);
    for spec in specs_of(partition::ALL, partitioner) {
        let made = partition::build(&spec).unwrap().partition(&problem, Progress::silent()).unwrap();
        assert!(made.clusters().all(|rows| problem.hold(rows)), "{spec}");
        // Ranges have no level between their values and everything.
        assert!(made.len() > 1 || !made.levels().is_empty(), "{spec}");
    }
}

tests!(of partitioners: every_partitioner_grants_every_wish: grants_every_wish);
