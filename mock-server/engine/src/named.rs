//! Enums whose values have names in the API.

/// Gives an enum its values' names, from one list of them.
macro_rules! named {
    ($name:ident { $($value:ident = $text:literal,)* }) => {
        impl $name {
            /// Every value.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$value),*];

            /// The name in the API.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)*
                }
            }

            /// The value with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}

pub(crate) use named;
