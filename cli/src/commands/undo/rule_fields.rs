//! What a person sets of a rule, field by field.

use secmon::model::Rule;

/// A field, or two that belong together.
pub struct RuleField {
    /// Whether two rules have the same.
    pub is_same: fn(&Rule, &Rule) -> bool,
    /// Gives the first what the second has.
    pub copy: fn(&mut Rule, &Rule),
}

/// All of them.
pub static ALL: [RuleField; 5] = [
    RuleField {
        is_same: |one, other| one.ports() == other.ports(),
        copy: |to, from| {
            to.port_start = from.port_start;
            to.port_end = from.port_end;
        },
    },
    RuleField {
        is_same: |one, other| one.protocol == other.protocol,
        copy: |to, from| to.protocol = from.protocol.clone(),
    },
    RuleField {
        is_same: |one, other| one.justification == other.justification,
        copy: |to, from| to.justification.clone_from(&from.justification),
    },
    RuleField {
        is_same: |one, other| one.service == other.service,
        copy: |to, from| to.service.clone_from(&from.service),
    },
    RuleField {
        is_same: |one, other| {
            let end = |rule: &Rule| rule.expires_at.as_ref().map(|end| end.date_time());
            end(one) == end(other)
        },
        copy: |to, from| to.expires_at.clone_from(&from.expires_at),
    },
];

/// Those that a change has set.
pub fn set_by<'a>(
    before: &'a Rule,
    after: &'a Rule,
) -> impl Iterator<Item = &'static RuleField> + 'a {
    ALL.iter().filter(|field| !(field.is_same)(before, after))
}
