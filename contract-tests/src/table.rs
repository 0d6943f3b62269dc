//! The contract, cell by cell, as `contract.toml` has it.

use std::sync::LazyLock;

use http::Method;
use serde::Deserialize;

/// The whole table.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let text = include_str!("../contract.toml");
    Table::parse(text).expect("contract.toml is as this module reads it")
});

/// How a cell is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// By calls of the partner API alone.
    Real,
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

/// An operation with all its cells.
#[derive(Debug)]
pub struct Row {
    /// Its name, which is the client's too.
    pub name: String,
    /// The method; `ANY` in the rows of what is no operation.
    pub method: String,
    /// The path with its placeholders.
    pub path: String,
    /// The group of the specification.
    pub group: String,
    /// The outcomes, its own and its group's.
    pub cells: Vec<Cell>,
}

/// All rows.
#[derive(Debug)]
pub struct Table {
    /// In the order of the file.
    pub rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    every: Vec<Every>,
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
#[serde(deny_unknown_fields)]
struct Operation {
    name: String,
    call: String,
    group: String,
    #[serde(default)]
    real: Vec<String>,
    #[serde(default)]
    switch: Vec<String>,
    #[serde(default)]
    fault: Vec<String>,
}

impl Table {
    fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let file: File = toml::from_str(text)?;
        let rows = file.operation.into_iter();
        Ok(Self {
            rows: rows.map(|operation| row(operation, &file.every)).collect(),
        })
    }

    /// The row of a call: an operation, or one of the rows of what is none.
    pub fn row_of(&self, method: &Method, path: &str) -> &Row {
        let known = self.rows.iter().filter(|row| row.is_at(path));
        let mut known = known.collect::<Vec<_>>();
        known.sort_by_key(|row| row.path.matches('{').count());
        let row = known.iter().find(|row| row.method == method.as_str());
        let name = match (row, known.is_empty()) {
            (Some(row), _) => return row,
            (None, true) => "(a path that is none)",
            (None, false) => "(a method that the path has not)",
        };
        let none = self.rows.iter().find(|row| row.name == name);
        none.expect("the rows of what is no operation end the table")
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
    /// Whether a concrete path is one of this row's.
    fn is_at(&self, path: &str) -> bool {
        let mut given = path.split('/');
        let fits = self.path.split('/').all(|expected| {
            given.next().is_some_and(|part| match expected {
                "{namespace}" => ["billing", "provisioning"].contains(&part),
                placeholder if placeholder.starts_with('{') => !part.is_empty(),
                literal => literal == part,
            })
        });
        self.group != "none" && fits && given.next().is_none()
    }

    /// A call of this operation, every identifier in its path being this one.
    pub fn path_with(&self, id: &str) -> String {
        let parts = self.path.split('/').map(|part| match part {
            "{namespace}" => "billing",
            placeholder if placeholder.starts_with('{') => id,
            literal => literal,
        });
        parts.collect::<Vec<_>>().join("/")
    }

    /// The method as a value.
    pub fn http_method(&self) -> Method {
        self.method.parse().expect("a method")
    }

    /// Whether the operation has this outcome.
    pub fn has(&self, outcome: &str) -> bool {
        self.cells.iter().any(|cell| cell.outcome == outcome)
    }
}

fn row(operation: Operation, every: &[Every]) -> Row {
    let cells = |outcomes: &[String], reach| {
        let cells = outcomes.iter().map(|outcome| Cell {
            outcome: outcome.clone(),
            reach,
        });
        cells.collect::<Vec<_>>()
    };
    let mut all = cells(&operation.real, Reach::Real);
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
        name: operation.name,
        method: method.to_owned(),
        path: path.to_owned(),
        group: operation.group,
        cells: all,
    }
}
