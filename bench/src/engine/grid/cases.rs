//! The cases of the grid.

/// Which rows of a table.
pub enum Rows {
    All,
    First(usize),
    /// So many, evenly spread.
    Sample(usize),
}

/// A table, what its columns are, and what is asked.
pub struct Case {
    pub name: &'static str,
    /// Where the table lies in a folder of data, or which of the made-up tables it is.
    pub file: &'static str,
    pub rows: Rows,
    /// The quasi-identifiers, each with its kind if it is not the guessed one; or `first 20` for the first 20 columns.
    pub quasi: &'static str,
    pub sensitive: &'static str,
    /// The models that the sensitive column must satisfy.
    pub require: &'static str,
    pub measure: &'static str,
    pub k: &'static [usize],
}

const ADULT: &str = "adult/adult.csv.gz";
const ACS: &str = "census/acs-income.csv.gz";
const KDD: &str = "census/kdd-census-income.csv.gz";
const NHDS: &str = "health/nhds2010.csv.gz";
const INFORMS: &str = "health/informs-demographics.csv.gz";
const CREDIT: &str = "arx/creditcard_int.csv.gz";
const ADULT_SETS: &str =
    "age:range education-num:range workclass:set marital-status:set occupation:set race:set sex:set native-country:set";
const ADULT_TREES: &str =
    "age:tree education:tree workclass:tree marital-status:tree occupation:tree race:tree sex:tree native-country:tree";
const ACS_MIXED: &str = "AGEP:range SCHL:range COW:set MAR:set RELP:set SEX:set RAC1P:set POBP:suppress";
const NHDS_8: &str = "age age_unit sex race marital_status dc_month region payor_primary";
const BASE: Case =
    Case { name: "", file: ADULT, rows: Rows::All, quasi: "", sensitive: "", require: "", measure: "lm", k: &[10] };

pub const CASES: &[Case] = &[
    Case {
        name: "Adult, suppression",
        quasi: "age:suppress workclass:suppress fnlwgt:suppress education:suppress education-num:suppress marital-status:suppress occupation:suppress relationship:suppress race:suppress sex:suppress capital-gain:suppress capital-loss:suppress hours-per-week:suppress native-country:suppress",
        k: &[10, 100, 2000],
        ..BASE
    },
    Case { name: "Adult, 3 columns", quasi: "age:range race:set sex:set", k: &[5, 100, 5000], ..BASE },
    Case { name: "Adult, ranges and sets", quasi: ADULT_SETS, k: &[2, 10, 100, 300, 1000, 5000, 20_000], ..BASE },
    Case { name: "Adult, hierarchies", rows: Rows::First(30_162), quasi: ADULT_TREES, k: &[10, 100, 1000], ..BASE },
    Case {
        name: "Adult, hierarchies, ncp",
        rows: Rows::First(30_162),
        quasi: ADULT_TREES,
        measure: "ncp",
        k: &[10, 100],
        ..BASE
    },
    Case { name: "Adult, few rows", rows: Rows::Sample(2000), quasi: ADULT_SETS, k: &[5, 50, 500, 999], ..BASE },
    Case {
        name: "Adult, l = 3",
        quasi: "age:range education-num:range workclass:set marital-status:set relationship:set race:set sex:set native-country:set",
        sensitive: "occupation",
        require: "frequency-l(l=3)",
        k: &[10, 100, 1000],
        ..BASE
    },
    Case {
        name: "Adult, l = 5",
        quasi: "age:range education-num:range workclass:set marital-status:set relationship:set race:set sex:set native-country:set",
        sensitive: "occupation",
        require: "frequency-l(l=5)",
        ..BASE
    },
    Case {
        name: "Adult, entropy l = 5",
        quasi: "age:range education-num:range workclass:set marital-status:set relationship:set race:set sex:set native-country:set",
        sensitive: "occupation",
        require: "entropy-l(l=5)",
        ..BASE
    },
    Case {
        name: "Adult, t = 0.2",
        quasi: "age:range education-num:range workclass:set marital-status:set relationship:set race:set sex:set native-country:set",
        sensitive: "occupation",
        require: "t-closeness(t=0.2)",
        k: &[10, 100],
        ..BASE
    },
    Case {
        name: "Adult, beta = 2",
        quasi: "age:range education-num:range workclass:set marital-status:set relationship:set race:set sex:set native-country:set",
        sensitive: "occupation",
        require: "basic-beta(beta=2)",
        ..BASE
    },
    Case {
        name: "Adult, income, l = 1.3",
        quasi: ADULT_SETS,
        sensitive: "income",
        require: "frequency-l(l=1.3)",
        ..BASE
    },
    Case { name: "Adult, mi", quasi: ADULT_SETS, sensitive: "income", measure: "mi", k: &[10, 100], ..BASE },
    Case { name: "Adult, entropy", quasi: ADULT_SETS, measure: "entropy", k: &[10, 100], ..BASE },
    Case {
        name: "ACS, 8 columns as guessed",
        file: ACS,
        rows: Rows::First(60_000),
        quasi: "first 8",
        k: &[10, 500, 3000],
        ..BASE
    },
    Case {
        name: "ACS, ranges, sets, suppression",
        file: ACS,
        rows: Rows::Sample(60_000),
        quasi: ACS_MIXED,
        k: &[10, 100, 1000],
        ..BASE
    },
    Case {
        name: "ACS, l = 3, one suppressed",
        file: ACS,
        rows: Rows::Sample(60_000),
        quasi: ACS_MIXED,
        sensitive: "OCCP",
        require: "frequency-l(l=3)",
        k: &[10, 100],
        ..BASE
    },
    Case { name: "ACS whole", file: ACS, quasi: ACS_MIXED, k: &[10, 100], ..BASE },
    Case {
        name: "ACS whole, l = 3, one suppressed",
        file: ACS,
        quasi: ACS_MIXED,
        sensitive: "OCCP",
        require: "frequency-l(l=3)",
        ..BASE
    },
    Case {
        name: "NHDS, 8 columns",
        file: NHDS,
        rows: Rows::Sample(50_000),
        quasi: NHDS_8,
        k: &[10, 100, 1000],
        ..BASE
    },
    Case {
        name: "NHDS, 20 columns",
        file: NHDS,
        rows: Rows::Sample(50_000),
        quasi: "age age_unit sex race marital_status dc_month region payor_primary newborn dc_status care_days dc_same_day n_beds hospital_ownership payor_secondary adm_type adm_origin DRG pc01 dx_adm",
        k: &[10, 50],
        ..BASE
    },
    Case { name: "NHDS, 43 columns", file: NHDS, rows: Rows::Sample(20_000), quasi: "first 43", k: &[10, 50], ..BASE },
    Case {
        name: "NHDS, diagnosis, l = 5",
        file: NHDS,
        rows: Rows::Sample(50_000),
        quasi: NHDS_8,
        sensitive: "dx01",
        require: "frequency-l(l=5)",
        ..BASE
    },
    Case {
        name: "KDD, 20 columns",
        file: KDD,
        rows: Rows::Sample(50_000),
        quasi: "age class_of_worker education marital_stat major_occupation_code race sex country_of_birth_self major_industry_code hispanic_origin full_or_part_time_employment_stat tax_filer_stat detailed_household_and_family_stat detailed_household_summary_in_household num_persons_worked_for_employer family_members_under_18 country_of_birth_father country_of_birth_mother citizenship weeks_worked_in_year",
        k: &[10, 50, 1000],
        ..BASE
    },
    Case { name: "KDD, 41 columns", file: KDD, rows: Rows::Sample(20_000), quasi: "first 41", k: &[10, 50], ..BASE },
    Case {
        name: "INFORMS, as guessed",
        file: INFORMS,
        quasi: "DOBMM DOBYY RACEX EDUCYEAR marry income",
        k: &[5, 50, 1000],
        ..BASE
    },
    Case { name: "Credit cards, 23 columns", file: CREDIT, quasi: "first 23", k: &[10, 100], ..BASE },
    Case { name: "made up, 16 sets", file: "made up: sets", quasi: "first 16", k: &[10, 100, 1000], ..BASE },
    Case {
        name: "made up, 10 ranges, correlated",
        file: "made up: numbers",
        quasi: "first 10",
        k: &[10, 100, 1000, 9999],
        ..BASE
    },
    Case { name: "made up, 4 even columns", file: "made up: even", quasi: "first 4", k: &[10, 1000, 9999], ..BASE },
];
