//! A row of a change of what is monitored.

use super::resource::Resource;

/// A thing that is changed; without a resource where its name fits nothing.
#[derive(Debug)]
pub struct LifecycleRow {
    /// Its line in the file.
    pub line: Option<u64>,
    /// As it was named.
    pub name: String,
    /// What it is.
    pub resource: Option<Resource>,
}

impl LifecycleRow {
    /// A thing that nobody named.
    pub fn listed(resource: Resource) -> Self {
        Self {
            line: None,
            name: resource.name(),
            resource: Some(resource),
        }
    }

    /// A name, in the line of a file where it stands in one.
    pub fn named(line: Option<u64>, name: &str) -> Self {
        Self {
            line,
            name: name.to_owned(),
            resource: None,
        }
    }

    /// The same once it is known what the name stands for.
    pub fn of(self, resource: Resource) -> Self {
        Self {
            name: resource.name(),
            resource: Some(resource),
            ..self
        }
    }
}
