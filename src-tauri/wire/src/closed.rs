//! Closed sets, declared once as data and rendered into JSON, TypeScript, help and documents.

/// Declares an enum together with its table: `ALL`, the public name of each value and its explanation.
/// A name that journals of earlier versions have for a value stands behind `or`: it is read, and written no more.
/// `foldback-directives` has its own, whose derives are optional: it must stand alone.
macro_rules! closed_set {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $variant:ident = $code:literal $(or $old:literal)* : $about:literal ),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema, ts_rs::TS)]
        pub enum $name {
            // As code: the sentences name tags, which documentation would take for its own.
            $(
                #[doc = concat!("```text\n", $about, "\n```")]
                #[serde(rename = $code $(, alias = $old)*)]
                #[schemars(description = $about)]
                $variant,
            )+
        }

        impl $name {
            /// Every value, in the order of the contract.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The public name, as printed in JSON, help and documents.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            /// One sentence for a person.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about),+ }
            }

            /// The value of a public name.
            pub fn from_code(code: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.code() == code)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.code())
            }
        }
    };
}
pub(crate) use closed_set;
