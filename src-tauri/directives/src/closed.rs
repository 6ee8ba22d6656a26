//! Closed sets, declared once as data: every rendering (JSON names, help, docs, the console's lists) reads
//! the table that this macro writes.

/// Declares an enum together with its table: `ALL`, the public name of each value and its explanation.
macro_rules! closed_set {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $( $(#[$vmeta:meta])* $variant:ident = $code:literal : $about:literal ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        $vis enum $name {
            $(
                $(#[$vmeta])*
                // As code: the sentences name tags, which documentation would take for its own.
                #[doc = concat!("```text\n", $about, "\n```")]
                #[cfg_attr(feature = "serde", serde(rename = $code), schemars(description = $about))]
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
                f.write_str(self.code())
            }
        }
    };
}
pub(crate) use closed_set;
