//! Flags become a plan.

use amidst::pipeline::PlanOrigin;
use amidst::plan::{Column, Input, Kind, Method, MissingRows, Plan, Privacy, Role, RowOrder, Tree};
use amidst::registry::Spec;
use clap::ValueEnum;
use indexmap::IndexMap;

use crate::Stop;
use crate::args::{ColumnArgs, InputArgs, MethodArgs, ModelArgs, PrivacyArgs, Requirement};

/// The plan in a file, or the one that the flags describe.
pub fn plan(
    columns: &ColumnArgs,
    k: Option<usize>,
    privacy: &PrivacyArgs,
    input: &InputArgs,
) -> Result<(Plan, PlanOrigin), Stop> {
    let (mut plan, origin) = match &columns.plan {
        Some(path) => (Plan::load(path)?, PlanOrigin::File(path.clone())),
        None => (from_flags(columns)?, PlanOrigin::Flags),
    };
    if let Some(k) = k {
        plan.privacy.k = k;
    }
    demand(&mut plan, privacy)?;
    if let Some(delimiter) = input.delimiter {
        plan.input.delimiter = delimiter;
    }
    plan.input.trim |= input.trim;
    if !input.missing.is_empty() {
        plan.input.missing.clone_from(&input.missing);
    }
    if input.drop_missing {
        plan.input.missing_rows = MissingRows::Drop;
    }
    Ok((plan, origin))
}

/// What the flags ask of sensitive values. A model takes the place of the same model in the plan.
fn demand(plan: &mut Plan, privacy: &PrivacyArgs) -> Result<(), Stop> {
    let PrivacyArgs { l, models: ModelArgs { require, suppress } } = privacy;
    let put = |models: &mut Vec<Spec>, model: Spec| {
        models.retain(|other| other.name() != model.name());
        models.push(model);
    };
    if let Some(l) = l {
        put(&mut plan.privacy.require, Spec::new(format!("frequency-l(l={l})")));
    }
    for Requirement { column, model } in require {
        match column {
            None => put(&mut plan.privacy.require, model.clone()),
            Some(name) => match plan.columns.get_mut(name).filter(|column| column.role == Role::Sensitive) {
                Some(column) => put(&mut column.require, model.clone()),
                None => return Err(Stop::usage(format!("--require names column `{name}`, which is not sensitive"))),
            },
        }
    }
    if let Some(suppress) = suppress {
        plan.privacy.suppress = *suppress;
    }
    Ok(())
}

/// What the flags change about the method of a plan.
pub fn apply(method: &mut Method, args: &MethodArgs) -> Result<(), Stop> {
    let MethodArgs { partitioner, effort, time, refine, measure, publish, seed, keep_order, threads: _ } = args;
    for (given, asked) in
        [(partitioner, &mut method.partitioner), (measure, &mut method.measure), (publish, &mut method.publish)]
    {
        if let Some(given) = given {
            asked.clone_from(given);
        }
    }
    if effort.is_some() || time.is_some() {
        let name = method.partitioner.name();
        if name != "engine" {
            return Err(Stop::usage(format!(
                "--effort and --time are for the engine, not for `{name}`; leave them out, or improve its result by \
                 --refine 'pools(rounds=100)'"
            )));
        }
    }
    if let Some(effort) = effort.and_then(|effort| effort.to_possible_value()) {
        method.partitioner = method.partitioner.with("effort", effort.get_name())?;
    }
    if let Some(time) = time {
        method.partitioner = method.partitioner.with("seconds", time.as_secs_f64())?;
    }
    if !refine.is_empty() {
        method.refine.clone_from(refine);
    }
    if let Some(seed) = seed {
        method.seed = *seed;
    }
    if *keep_order {
        method.order = RowOrder::Keep;
    }
    Ok(())
}

/// The column that a flag is about, which must have one of these roles.
fn named<'a>(
    columns: &'a mut IndexMap<String, Column>,
    name: &str,
    flag: &str,
    roles: &[Role],
) -> Result<&'a mut Column, Stop> {
    let by = match roles {
        [Role::Quasi] => "--quasi does not",
        [Role::Sensitive] => "--sensitive does not",
        _ => "neither --quasi nor --sensitive does",
    };
    let column = columns.get_mut(name).filter(|column| roles.contains(&column.role));
    column.ok_or_else(|| Stop::usage(format!("{flag} names column `{name}`, which {by}")))
}

fn from_flags(args: &ColumnArgs) -> Result<Plan, Stop> {
    let mut columns: IndexMap<String, Column> = IndexMap::new();
    let roles = [
        (args.quasi.as_slice(), Role::Quasi, "--quasi"),
        (&args.sensitive, Role::Sensitive, "--sensitive"),
        (&args.identifier, Role::Identifier, "--identifier"),
        (args.personal_k.as_slice(), Role::PersonalK, "--personal-k"),
        (args.personal_l.as_slice(), Role::PersonalL, "--personal-l"),
    ];
    for (names, role, flag) in roles {
        for name in names {
            if columns.insert(name.clone(), Column::with_role(role)).is_some() {
                return Err(Stop::usage(format!("column `{name}` is named twice, the second time by {flag}")));
            }
        }
    }
    for (name, tree) in &args.hierarchy {
        let column = named(&mut columns, name, "--hierarchy", &[Role::Quasi, Role::Sensitive])?;
        column.kind = (column.role == Role::Quasi).then_some(Kind::Taxonomy);
        column.hierarchy = Some(tree.clone());
    }
    for (name, order) in &args.order {
        let column = named(&mut columns, name, "--order", &[Role::Quasi, Role::Sensitive])?;
        column.kind = (column.role == Role::Quasi).then_some(Kind::Ordered);
        column.order = Some(order.split(',').map(str::to_owned).collect());
    }
    for (name, kind) in &args.kind {
        named(&mut columns, name, "--kind", &[Role::Quasi])?.kind = Some(*kind);
    }
    for (name, show) in &args.show {
        named(&mut columns, name, "--show", &[Role::Quasi])?.show = Some(*show);
    }
    for (name, tree) in &args.groups {
        named(&mut columns, name, "--groups", &[Role::Sensitive])?.groups = Some(tree.clone());
    }
    for (name, tree) in args.hierarchy.iter().chain(&args.groups) {
        if let Tree::File(file) = tree
            && !file.is_file()
        {
            return Err(Stop::usage(format!("the hierarchy `{}` of column `{name}` is not a file", file.display())));
        }
    }
    Ok(Plan {
        amidst: None,
        input: Input::default(),
        privacy: Privacy::k_anonymity(1), // what --k says, or nothing
        method: Method::default(),
        columns,
    })
}
