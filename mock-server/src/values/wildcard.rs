//! Patterns in which `*` stands for any text.

/// Whether `text` fits `pattern`, in which `*` stands for any text, `/` too.
pub(crate) fn wildcard(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    // `split` gives at least one part, also for an empty pattern.
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let middle: Vec<&str> = parts.collect();
    let Some((last, middle)) = middle.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::wildcard;

    #[test]
    fn a_star_crosses_slashes_and_may_stand_for_nothing() {
        for (pattern, text, fits) in [
            ("/api/v1/health", "/api/v1/health", true),
            ("/api/v1/health", "/api/v1/healthy", false),
            ("/api/*", "/api/v1/billing/provision", true),
            ("*/scan", "/api/v1/scan", true),
            ("*/scan", "/api/v1/scanner", false),
            ("/a*b*c", "/abc", true),
            ("/a*b*c", "/acb", false),
            ("/a*a", "/a", false),
            ("*", "", true),
            ("", "/", false),
        ] {
            assert_eq!(wildcard(pattern, text), fits, "{pattern} against {text}");
        }
    }
}
