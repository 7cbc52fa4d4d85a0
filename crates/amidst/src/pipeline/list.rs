//! What there is to choose from.

use serde::Serialize;

use crate::attack;
use crate::constraint;
use crate::cost;
use crate::hierarchy;
use crate::measure;
use crate::partition;
use crate::publish;
use crate::refine;
use crate::registry::{Entry, Param, Spec, specs};

/// A list of named things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum List {
    Partitioners,
    Measures,
    Constraints,
    Publishers,
    Refiners,
    Attacks,
    Hierarchies,
}

impl List {
    /// All lists.
    pub const ALL: [List; 7] = [
        List::Partitioners,
        List::Measures,
        List::Constraints,
        List::Publishers,
        List::Refiners,
        List::Attacks,
        List::Hierarchies,
    ];

    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            List::Partitioners => "partitioners",
            List::Measures => "measures",
            List::Constraints => "constraints",
            List::Publishers => "publishers",
            List::Refiners => "refiners",
            List::Attacks => "attacks",
            List::Hierarchies => "hierarchies",
        }
    }

    /// The list that users call this.
    pub fn named(name: &str) -> Option<List> {
        List::ALL.into_iter().find(|list| list.name() == name)
    }

    /// What a text names: `all` members with their defaults, or some, separated by commas.
    pub fn specs(self, text: &str) -> Vec<Spec> {
        match text {
            "all" => list(self).iter().map(|member| Spec::new(member.name)).collect(),
            some => specs(some),
        }
    }
}

/// A member of a list.
#[derive(Debug, Clone, Serialize)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Where it comes from; for a hierarchy, an example on the command line or the source.
    pub paper: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Of measures: whether an algorithm can keep it low.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<bool>,
}

/// The members of a list.
pub fn list(list: List) -> Vec<Member> {
    match list {
        List::Partitioners => members(partition::ALL, None),
        List::Measures => [members(cost::ALL, Some(true)), members(measure::ALL, Some(false))].concat(),
        List::Constraints => members(constraint::ALL, None),
        List::Publishers => members(publish::ALL, None),
        List::Refiners => members(refine::ALL, None),
        List::Attacks => members(attack::ALL, None),
        List::Hierarchies => hierarchy::ALL
            .iter()
            .map(|(name, about, paper)| Member { name, about, paper, params: &[], objective: None })
            .collect(),
    }
}

fn members<B>(list: &[Entry<B>], objective: Option<bool>) -> Vec<Member> {
    let member = |e: &Entry<B>| Member { name: e.name, about: e.about, paper: e.paper, params: e.params, objective };
    list.iter().map(member).collect()
}
