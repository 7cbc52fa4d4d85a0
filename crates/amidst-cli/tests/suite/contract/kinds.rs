//! Every kind of generalization, cell by cell.

use crate::support::{CITIES, Folder};

#[test]
fn all_five_kinds_in_one_table() {
    // Every column that can be cut at k = 2 is cut between the second and the third row.
    let table = "\
age,grade,city,job,sex
21,low,Oslo,baker,f
23,mid,Bergen,clerk,m
51,high,Rome,nurse,f
58,top,Milan,pilot,f
";
    let folder = Folder::with("in.csv", table);
    folder.write("cities.csv", CITIES);
    let kinds = "--kind age=range --kind grade=ordered --kind city=taxonomy --kind job=set --kind sex=suppress";
    let trees = "--order grade=low,mid,high,top --hierarchy city=cities.csv";
    folder
        .run(&format!("anonymize in.csv -o out.csv --quasi age,grade,city,job,sex --k 2 --keep-order {kinds} {trees}"))
        .ok();
    assert_eq!(
        folder.text("out.csv"),
        "\
age,grade,city,job,sex
[21-23],[low - mid],Norway,\"{baker, clerk}\",*
[21-23],[low - mid],Norway,\"{baker, clerk}\",*
[51-58],[high - top],Italy,\"{nurse, pilot}\",f
[51-58],[high - top],Italy,\"{nurse, pilot}\",f
"
    );
}

/// The published cells of a column `x` with these values, at k = 2, in the order of the input.
fn cells(values: &[&str], how: &str) -> Vec<String> {
    let folder = Folder::with("in.csv", format!("x\n{}\n", values.join("\n")));
    folder.run(&format!("anonymize in.csv -o out.csv --quasi x --k 2 --keep-order {how}")).ok();
    folder.text("out.csv").lines().skip(1).map(|cell| cell.trim_matches('"').replace("\"\"", "\"")).collect()
}

#[test]
fn numbers() {
    assert_eq!(cells(&["7", "7", "8", "9"], ""), ["7", "7", "[8-9]", "[8-9]"]);
    assert_eq!(cells(&["-5", "10"], ""), ["[-5 - 10]"; 2]);
    assert_eq!(cells(&["0.5", "2.25", "30", "40"], ""), ["[0.5-2.25]", "[0.5-2.25]", "[30-40]", "[30-40]"]);
    // One number in three spellings is one value.
    assert_eq!(cells(&["1.0", "1", "1.00"], ""), ["1"; 3]);
}

#[test]
fn dates() {
    let days = ["2020-01-31", "2020-03-01", "2021-05-05", "2021-05-06"];
    let (early, late) = ("[2020-01-31 - 2020-03-01]", "[2021-05-05 - 2021-05-06]");
    assert_eq!(cells(&days, ""), [early, early, late, late]);
    assert_eq!(cells(&days, "--hierarchy x=dates:month,quarter,year"), ["2020-Q1", "2020-Q1", "2021-05", "2021-05"]);
}

#[test]
fn built_hierarchies() {
    assert_eq!(
        cells(&["21", "24", "45", "56"], "--hierarchy x=widths:5,20"),
        ["[20-24]", "[20-24]", "[40-59]", "[40-59]"]
    );
    assert_eq!(
        cells(&["01234", "01239", "99501", "99599"], "--hierarchy x=mask:1,2,3"),
        ["0123*", "0123*", "995**", "995**"]
    );
    assert_eq!(cells(&["a", "b"], "--hierarchy x=flat:any"), ["any"; 2]);
}

#[test]
fn codes_with_leading_zeros_stay_texts() {
    assert_eq!(cells(&["01234", "01234", "99501", "99501"], ""), ["01234", "01234", "99501", "99501"]);
    assert_eq!(cells(&["01234", "1234"], ""), ["*"; 2]);
}

#[test]
fn sets_quote_members_that_would_be_ambiguous() {
    let how = "--kind x=set";
    // A third value, far from the pair, keeps the set from being everything.
    let values = ["\"a, b\"", "c", "z", "z"];
    assert_eq!(cells(&values, how), ["{\"a, b\", c}", "{\"a, b\", c}", "z", "z"]);
}

#[test]
fn a_parameter_of_method_and_measure_is_taken() {
    let method = "--partitioner mondrian(relaxed) --measure lm(numeric=values)";
    // Strict cuts keep the three sevens together, so nothing can be cut; relaxed ones part them.
    assert_eq!(cells(&["7", "7", "7", "9"], ""), ["[7-9]"; 4]);
    assert_eq!(cells(&["7", "7", "7", "9"], method), ["7", "7", "[7-9]", "[7-9]"]);
}
