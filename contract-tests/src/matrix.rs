//! The matrix: which cell was observed how often, which never, and what was observed that no cell has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::exchange::{Exchange, Forced};
use crate::need::Need;
use crate::table::{Cell, Reach, Row, TABLE};

/// What all cases of a run observed.
#[derive(Debug, Default)]
pub struct Matrix {
    /// By row and cell.
    seen: BTreeMap<(String, Cell), usize>,
    /// By operation and outcome, the cases that met it.
    undocumented: BTreeMap<String, BTreeSet<String>>,
}

/// A matrix that was judged.
#[derive(Debug)]
pub struct Verdict {
    /// Cells of the contract that this service can be asked for.
    pub cells: usize,
    /// Cells that it cannot be asked for, because it cannot be steered, or its account has no sandbox mode.
    pub out_of_reach: usize,
    /// Cells that nobody observed.
    pub empty: Vec<String>,
    /// Outcomes that no cell has.
    pub undocumented: Vec<String>,
}

impl Matrix {
    /// Marks what a case observed.
    pub fn observe(&mut self, case: &str, needs: &[Need], exchange: &Exchange) {
        if exchange.forced == Forced::Body {
            return;
        }
        let row = TABLE.row_of(&exchange.method, &exchange.path);
        let outcome = exchange.outcome();
        if exchange.forced == Forced::No && !row.has(&outcome) {
            self.undocumented
                .entry(format!("{} answered {outcome}", row.name))
                .or_default()
                .insert(case.to_owned());
        }
        for cell in row.cells.iter().filter(|cell| cell.outcome == outcome) {
            let fills = match cell.reach {
                Reach::Real => needs.is_empty(),
                Reach::Sandbox => needs == [Need::Sandbox],
                Reach::Switch => exchange.forced == Forced::No,
                Reach::Fault => exchange.forced == Forced::Status,
            };
            if fills {
                *self
                    .seen
                    .entry((row.name.clone(), cell.clone()))
                    .or_default() += 1;
            }
        }
    }

    /// What is missing, and what is too much, of a service with these abilities.
    pub fn judged(&self, abilities: &[Need]) -> Verdict {
        let reachable = |cell: &Cell| match cell.reach {
            Reach::Real => true,
            Reach::Sandbox => abilities.contains(&Need::Sandbox),
            Reach::Switch => abilities.contains(&Need::Accounts),
            Reach::Fault => abilities.contains(&Need::Faults),
        };
        let cells = || {
            TABLE
                .rows
                .iter()
                .flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
        };
        let asked = cells().filter(|(_, cell)| reachable(cell));
        let empty = asked
            .clone()
            .filter(|(row, cell)| self.count(row, cell) == 0);
        Verdict {
            cells: asked.clone().count(),
            out_of_reach: cells().count() - asked.count(),
            empty: empty
                .map(|(row, cell)| format!("{}: {}", row.name, cell.outcome))
                .collect(),
            undocumented: (self.undocumented.iter())
                .map(|(answered, cases)| met(answered, cases))
                .collect(),
        }
    }

    /// How often a cell was observed.
    pub fn count(&self, row: &Row, cell: &Cell) -> usize {
        let key = (row.name.clone(), cell.clone());
        self.seen.get(&key).copied().unwrap_or_default()
    }

    /// The matrix for a person: a line for each operation, each outcome with how often it was observed.
    pub fn printed(&self) -> String {
        let mut text = String::new();
        for row in &TABLE.rows {
            let cells = row.cells.iter().map(|cell| {
                let sign = match cell.reach {
                    Reach::Real => "",
                    Reach::Sandbox => "~",
                    Reach::Switch => "*",
                    Reach::Fault => "!",
                };
                format!("{}{sign} {}", cell.outcome, self.count(row, cell))
            });
            let cells: Vec<String> = cells.collect();
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{:38} {}", row.name, cells.join(", "));
        }
        text
    }
}

/// An outcome that no cell has, told once with the first of the cases that met it.
fn met(answered: &str, cases: &BTreeSet<String>) -> String {
    let first = cases.first().map_or("", String::as_str);
    match cases.len() {
        0 | 1 => format!("{answered} in {first}"),
        2 => format!("{answered} in {first} and one more case"),
        many => format!("{answered} in {first} and {} more cases", many - 1),
    }
}

impl Verdict {
    /// Whether the matrix is full and nothing is in it that should not be.
    pub fn is_good(&self) -> bool {
        self.empty.is_empty() && self.undocumented.is_empty()
    }

    /// The sentences below the matrix.
    pub fn printed(&self) -> String {
        let mut text = format!("{} cells, {} of them empty", self.cells, self.empty.len());
        if self.out_of_reach > 0 {
            let _ = write!(
                text,
                "; {} more need abilities that this service has not",
                self.out_of_reach
            );
        }
        let _ = writeln!(text, "; {} undocumented outcomes", self.undocumented.len());
        for empty in &self.empty {
            let _ = writeln!(text, "  never observed: {empty}");
        }
        for outcome in &self.undocumented {
            let _ = writeln!(text, "  not documented: {outcome}");
        }
        text
    }
}
