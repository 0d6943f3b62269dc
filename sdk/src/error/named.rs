//! Enums whose values have a text.

/// Declares an enum with a line for each value, the variant and its text, and perhaps further variants without one.
macro_rules! named_enum {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[$what:meta])* $variant:ident = $text:literal,)+ }
        $(and { $($other:tt)+ })?
    ) => {
        $(#[$about])*
        #[non_exhaustive]
        pub enum $name {
            $($(#[$what])* $variant,)+
            $($($other)+)?
        }

        impl $name {
            /// The values that have a name in this version.
            pub const VARIANTS: &'static [Self] = &[$(Self::$variant,)+];

            #[allow(unreachable_patterns)]
            fn text(&self) -> Option<&'static str> {
                match self {
                    $(Self::$variant => Some($text),)+
                    _ => None,
                }
            }
        }
    };
}

pub(super) use named_enum;
