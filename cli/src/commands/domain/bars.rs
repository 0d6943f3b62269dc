//! What was found about a domain, drawn with letters.

use crate::ui::outcome::{Block, Cell, count_or_unknown};
use secmon::model::MonitoredDomain;

/// Steps of a sparkline, lowest first.
const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

const BAR_WIDTH: u64 = 30;

/// What was found about a domain, as bars, one a line, on one scale.
pub fn counts(domain: &MonitoredDomain) -> Vec<Block> {
    let counts = [
        ("employees", domain.employees_compromised),
        ("customers", domain.customers_compromised),
        ("third parties", domain.third_parties_compromised),
        ("mentions", domain.dark_web_mentions_count),
    ];
    let told = counts.iter().filter_map(|(_, count)| *count);
    let most = told.max().unwrap_or(0).max(1);
    let bar =
        |count: u64| "█".repeat(usize::try_from((count * BAR_WIDTH).div_ceil(most)).unwrap_or(0));
    let text = |count: Option<u64>| match count {
        Some(count) => format!("{count:>5} {}", bar(count)),
        None => count_or_unknown(None),
    };
    counts
        .iter()
        .map(|(label, count)| Block::Field(label, Cell::text(text(*count))))
        .collect()
}

/// The rise and fall of a count, oldest first.
pub fn sparkline(counts: &[u64]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let step = |count: &u64| usize::try_from(count * (STEPS.len() as u64 - 1) / most).unwrap_or(0);
    counts
        .iter()
        .map(|count| STEPS[step(count).min(STEPS.len() - 1)])
        .collect()
}
