//! Flags become a plan.

use amidst::pipeline::PlanOrigin;
use amidst::plan::{Column, Input, Kind, Method, MissingRows, Plan, Privacy, Role, RowOrder, Tree};
use clap::ValueEnum;
use indexmap::IndexMap;

use crate::Stop;
use crate::args::{ColumnArgs, InputArgs, MethodArgs};

/// The plan in a file, or the one that the flags describe.
pub fn plan(columns: &ColumnArgs, k: Option<usize>, input: &InputArgs) -> Result<(Plan, PlanOrigin), Stop> {
    let (mut plan, origin) = match &columns.plan {
        Some(path) => (Plan::load(path)?, PlanOrigin::File(path.clone())),
        None => (from_flags(columns)?, PlanOrigin::Flags),
    };
    if let Some(k) = k {
        plan.privacy.k = k;
    }
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

fn from_flags(args: &ColumnArgs) -> Result<Plan, Stop> {
    let mut columns: IndexMap<String, Column> = IndexMap::new();
    let roles = [
        (&args.quasi, Role::Quasi, "--quasi"),
        (&args.sensitive, Role::Sensitive, "--sensitive"),
        (&args.identifier, Role::Identifier, "--identifier"),
    ];
    for (names, role, flag) in roles {
        for name in names {
            if columns.insert(name.clone(), Column::with_role(role)).is_some() {
                return Err(Stop::usage(format!("column `{name}` is named twice, the second time by {flag}")));
            }
        }
    }
    let quasi =
        |columns: &mut IndexMap<String, Column>, name: &str, flag: &str, change: &dyn Fn(&mut Column)| match columns
            .get_mut(name)
        {
            Some(column) if column.role == Role::Quasi => {
                change(column);
                Ok(())
            }
            _ => Err(Stop::usage(format!("{flag} names column `{name}`, which --quasi does not"))),
        };
    for (name, tree) in &args.hierarchy {
        quasi(&mut columns, name, "--hierarchy", &|column| {
            column.kind = Some(Kind::Taxonomy);
            column.hierarchy = Some(tree.clone());
        })?;
    }
    for (name, order) in &args.order {
        quasi(&mut columns, name, "--order", &|column| {
            column.kind = Some(Kind::Ordered);
            column.order = Some(order.split(',').map(str::to_owned).collect());
        })?;
    }
    for (name, kind) in &args.kind {
        quasi(&mut columns, name, "--kind", &|column| column.kind = Some(*kind))?;
    }
    for (name, tree) in &args.hierarchy {
        if let Tree::File(file) = tree
            && !file.is_file()
        {
            return Err(Stop::usage(format!("the hierarchy `{}` of column `{name}` is not a file", file.display())));
        }
    }
    Ok(Plan {
        amidst: None,
        input: Input::default(),
        privacy: Privacy { k: 2 }, // what --k says, or nothing that anybody asks for
        method: Method::default(),
        columns,
    })
}
