//! The fields of a zone.

/// The fields of a zone.
const FIELDS: [&str; 22] = [
    "target",
    "icmp-block-inversion",
    "interfaces",
    "sources",
    "services",
    "ports",
    "protocols",
    "forward",
    "masquerade",
    "forward-ports",
    "source-ports",
    "icmp-blocks",
    "rich rules",
    "ingress-priority",
    "egress-priority",
    "priority",
    "ingress-zones",
    "egress-zones",
    "short",
    "description",
    "summary",
    "helpers",
];

/// Whether a line is a field of a zone.
pub(crate) fn is_field(line: &str) -> bool {
    field(line).is_some_and(|(name, _)| !matches!(name, "short" | "description" | "summary"))
}

pub(super) fn field(line: &str) -> Option<(&str, &str)> {
    let (name, values) = line.trim().split_once(':')?;
    FIELDS.contains(&name).then_some((name, values.trim()))
}
