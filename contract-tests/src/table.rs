//! The contract, cell by cell, as `contract.toml` has it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use http::Method;
use serde::Deserialize;
use serde_json::Value;

use crate::recipe::{Bad, Members, Recipe, placeholder};

/// The whole table.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let text = include_str!("../contract.toml");
    Table::parse(text).expect("contract.toml is as this module reads it")
});

/// The namespaces of provisioning; those operations that one of them lacks stand below the first.
pub const NAMESPACES: [&str; 2] = ["billing", "provisioning"];

/// How a cell is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// By calls of the partner API alone.
    Real,
    /// Likewise, in an account with sandbox mode.
    Sandbox,
    /// Only when the service is steered.
    Switch,
    /// Only by a fault.
    Fault,
}

/// An outcome of an operation, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// As in `404 ENDPOINT_NOT_FOUND`.
    pub outcome: String,
    /// How a case gets there.
    pub reach: Reach,
}

/// An operation with all its cells; one that both namespaces have stands in two rows.
#[derive(Debug)]
pub struct Row {
    /// Its name, and the namespace where that is not `billing`.
    pub name: String,
    /// The operation's name, which is the client's too.
    pub operation: String,
    /// The method; `ANY` in the rows of what is no operation.
    pub method: String,
    /// The path with its placeholders; `{namespace}` where both have it.
    pub path: String,
    /// What stands between its slashes, with the namespace.
    parts: Vec<String>,
    /// What stands for `{namespace}`.
    pub namespace: &'static str,
    /// The group of the specification.
    pub group: String,
    /// The decision behind it, where the specification does not give its shape.
    pub assumed: Option<String>,
    /// The outcomes, its own and its group's.
    pub cells: Vec<Cell>,
    /// How it is called; nothing in the rows of what is no operation.
    pub recipe: Option<Recipe>,
}

/// All rows.
#[derive(Debug)]
pub struct Table {
    /// In the order of the file.
    pub rows: Vec<Row>,
    /// What members may not be.
    pub bad: Bad,
    /// What members may be, at the edge of what they may not.
    pub good: Members,
    /// Spellings of one value by member, the one that is shown first.
    pub same: BTreeMap<String, Vec<Vec<Value>>>,
    /// What may stand where a thing of a kind is named.
    pub strangers: BTreeMap<String, Vec<String>>,
    /// Members that no request has.
    pub unknown: Members,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    every: Vec<Every>,
    bad: Members,
    bad_query: Members,
    good: Members,
    same: BTreeMap<String, Vec<Vec<Value>>>,
    strangers: BTreeMap<String, Vec<String>>,
    unknown: Members,
    operation: Vec<Operation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Every {
    of: Vec<String>,
    #[serde(default)]
    real: Vec<String>,
    #[serde(default)]
    switch: Vec<String>,
}

#[derive(Deserialize)]
struct Operation {
    name: String,
    call: String,
    group: String,
    assumed: Option<String>,
    #[serde(default)]
    real: Vec<String>,
    #[serde(default)]
    sandbox: Vec<String>,
    #[serde(default)]
    switch: Vec<String>,
    #[serde(default)]
    fault: Vec<String>,
    #[serde(flatten)]
    recipe: Option<Recipe>,
}

impl Table {
    fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let file: File = toml::from_str(text)?;
        let rows = file.operation.iter();
        Ok(Self {
            rows: rows
                .flat_map(|operation| rows_of(operation, &file.every))
                .collect(),
            bad: Bad {
                body: file.bad,
                query: file.bad_query,
            },
            good: file.good,
            same: file.same,
            strangers: file.strangers,
            unknown: file.unknown,
        })
    }

    /// A path below `/api/v1/billing/` in another namespace, where that has it.
    pub fn in_namespace(&self, method: &Method, path: &str, namespace: &str) -> String {
        let row = self.row_of(method, path);
        let (own, other) = (row.namespace, namespace);
        match row.path.contains("{namespace}") && own == NAMESPACES[0] {
            true => path.replacen(&format!("/{own}/"), &format!("/{other}/"), 1),
            false => path.to_owned(),
        }
    }

    /// The row of a call: an operation, or one of the rows of what is none.
    pub fn row_of(&self, method: &Method, path: &str) -> &Row {
        let parts: Vec<&str> = path.split('/').collect();
        let known = self.rows.iter().filter(|row| row.is_at(&parts));
        let known: Vec<&Row> = known.collect();
        let own = known.iter().filter(|row| row.method == method.as_str());
        let row = own.min_by_key(|row| row.placeholders());
        let name = match (row, known.is_empty()) {
            (Some(row), _) => return row,
            (None, true) => "(a path that is none)",
            (None, false) => "(a method that the path has not)",
        };
        let none = self.rows.iter().find(|row| row.name == name);
        none.expect("the rows of what is no operation end the table")
    }

    /// The row of an operation that is one.
    ///
    /// # Panics
    /// When there is none of this name.
    pub(crate) fn operation(&self, name: &str) -> &Row {
        let row = self.row(name);
        row.unwrap_or_else(|| panic!("there is no operation {name}"))
    }

    /// Whether an operation takes a member, in any of the requests that the table has of it.
    pub fn takes(&self, row: &Row, member: &str) -> bool {
        let recipe = row.recipe.as_ref();
        recipe.is_some_and(|recipe| {
            let mut still = recipe.still.values().flatten();
            still.any(|over| over.contains_key(member)) || recipe.full().contains_key(member)
        })
    }

    /// The row of an operation.
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The rows of operations.
    pub fn operations(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.group != "none")
    }
}

impl Row {
    /// Whether the parts of a concrete path are those of this row's.
    fn is_at(&self, path: &[&str]) -> bool {
        let mut pairs = self.parts.iter().zip(path);
        let fits = |(expected, part): (&String, &&str)| match placeholder(expected) {
            Some(_) => !part.is_empty(),
            None => expected == part,
        };
        self.group != "none" && self.parts.len() == path.len() && pairs.all(fits)
    }

    fn placeholders(&self) -> usize {
        let placeholders = self.parts.iter().filter(|part| placeholder(part).is_some());
        placeholders.count()
    }

    /// A call of this operation, every identifier in its path being this one.
    pub fn path_with(&self, id: &str) -> String {
        let parts = self.path.split('/').map(|part| match part {
            "{namespace}" => self.namespace,
            placeholder if placeholder.starts_with('{') => id,
            literal => literal,
        });
        parts.collect::<Vec<_>>().join("/")
    }

    /// The method as a value.
    pub fn http_method(&self) -> Method {
        self.method.parse().expect("a method")
    }

    /// Whether it takes a body; the others take a query.
    pub fn takes_body(&self) -> bool {
        self.has("413 size")
    }

    /// Whether the operation has this outcome.
    pub fn has(&self, outcome: &str) -> bool {
        self.cells.iter().any(|cell| cell.outcome == outcome)
    }
}

/// The rows of an operation: one for each namespace that has it.
fn rows_of(operation: &Operation, every: &[Every]) -> Vec<Row> {
    let mut rows = vec![row(operation, every, NAMESPACES[0], operation.name.clone())];
    if operation.call.contains("{namespace}") {
        let name = format!("{} /{}/", operation.name, NAMESPACES[1]);
        rows.push(row(operation, every, NAMESPACES[1], name));
    }
    rows
}

fn row(operation: &Operation, every: &[Every], namespace: &'static str, name: String) -> Row {
    let cells = |outcomes: &[String], reach| {
        let cells = outcomes.iter().map(|outcome| Cell {
            outcome: outcome.clone(),
            reach,
        });
        cells.collect::<Vec<_>>()
    };
    let mut all = cells(&operation.real, Reach::Real);
    all.extend(cells(&operation.sandbox, Reach::Sandbox));
    all.extend(cells(&operation.switch, Reach::Switch));
    all.extend(cells(&operation.fault, Reach::Fault));
    for also in every {
        if also.of.contains(&operation.group) {
            all.extend(cells(&also.real, Reach::Real));
            all.extend(cells(&also.switch, Reach::Switch));
        }
    }
    all.sort();
    let (method, path) = operation.call.split_once(' ').expect("method and path");
    Row {
        name,
        operation: operation.name.clone(),
        method: method.to_owned(),
        path: path.to_owned(),
        parts: path
            .replace("{namespace}", namespace)
            .split('/')
            .map(str::to_owned)
            .collect(),
        namespace,
        group: operation.group.clone(),
        assumed: operation.assumed.clone(),
        cells: all,
        recipe: operation.recipe.clone(),
    }
}
