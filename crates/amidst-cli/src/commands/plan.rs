//! Flags become a plan.

use amidst::plan::{Changes, Flags, Plan, RowOrder};
use clap::ValueEnum;

use crate::Stop;
use crate::args::{ColumnArgs, InputArgs, MethodArgs, ModelArgs, PrivacyArgs};

/// The plan in a file, or the one that the flags describe.
pub fn plan(columns: &ColumnArgs, k: Option<usize>, privacy: &PrivacyArgs, input: &InputArgs) -> Result<Plan, Stop> {
    let mut plan = match &columns.plan {
        Some(path) => Plan::load(path)?,
        None => flags(columns).plan()?,
    };
    let PrivacyArgs { l, models: ModelArgs { require, suppress } } = privacy;
    let InputArgs { delimiter, trim, missing, drop_missing, fold, memory: _ } = input;
    let changes = Changes {
        k,
        l: *l,
        require: require.clone(),
        suppress: *suppress,
        delimiter: *delimiter,
        trim: *trim,
        missing: missing.clone(),
        drop_missing: *drop_missing,
        fold: *fold,
        ..Changes::default()
    };
    changes.apply(&mut plan)?;
    Ok(plan)
}

/// What the flags change about the method of a plan.
pub fn apply(plan: &mut Plan, args: &MethodArgs) -> Result<(), Stop> {
    let MethodArgs { partitioner, effort, time, refine, measure, publish, seed, keep_order, threads: _ } = args;
    let changes = Changes {
        partitioner: partitioner.clone(),
        effort: effort.and_then(|effort| Some(effort.to_possible_value()?.get_name().to_owned())),
        time: time.map(|time| time.as_secs_f64()),
        refine: refine.clone(),
        measure: measure.clone(),
        publish: publish.clone(),
        seed: *seed,
        order: keep_order.then_some(RowOrder::Keep),
        ..Changes::default()
    };
    Ok(changes.apply(plan)?)
}

fn flags(args: &ColumnArgs) -> Flags {
    let values = |order: &String| order.split(',').map(str::to_owned).collect();
    Flags {
        quasi: args.quasi.clone(),
        sensitive: args.sensitive.clone(),
        identifier: args.identifier.clone(),
        personal_k: args.personal_k.clone(),
        personal_l: args.personal_l.clone(),
        kind: args.kind.iter().cloned().collect(),
        hierarchy: args.hierarchy.iter().cloned().collect(),
        order: args.order.iter().map(|(name, order)| (name.clone(), values(order))).collect(),
        groups: args.groups.iter().cloned().collect(),
        show: args.show.iter().cloned().collect(),
    }
}
