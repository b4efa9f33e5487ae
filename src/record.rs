//! `record!` declares a record of facts once: the struct, its JSON, and its shape for expressions and documents.

/// Declares a struct of facts. Every field is a `Reading`, a `Collection` or another record; a `sources` field is
/// added, and a field that a file lacks is "not collected", never a default.
macro_rules! record {
    (
        $(#[doc = $doc:expr])*
        pub struct $name:ident {
            $( $(#[doc = $field_doc:expr])* pub $field:ident : $type:ty, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub struct $name {
            $(
                $(#[doc = $field_doc])*
                #[serde(
                    default,
                    skip_serializing_if = "crate::reading::Fact::is_not_collected"
                )]
                pub $field: $type,
            )*
            /// By field name: where the value was read.
            #[serde(default, skip_serializing_if = "crate::reading::Sources::is_empty")]
            pub sources: crate::reading::Sources,
        }

        impl Default for $name {
            /// Nothing collected.
            fn default() -> Self {
                Self {
                    $( $field: Default::default(), )*
                    sources: crate::reading::Sources::default(),
                }
            }
        }

        impl crate::reading::Record for $name {
            fn record_type() -> &'static crate::reading::RecordType {
                static TYPE: crate::reading::RecordType = crate::reading::RecordType {
                    name: stringify!($name),
                    doc: concat!($($doc, "\n"),*),
                    fields: || vec![
                        $( crate::reading::FieldType {
                            name: stringify!($field),
                            doc: concat!($($field_doc, "\n"),*),
                            fact: <$type as crate::reading::Fact>::fact_type(),
                        }, )*
                    ],
                };
                &TYPE
            }
            fn renumber(&mut self, ids: &crate::reading::Renumber<'_>) {
                $( crate::reading::Fact::renumber(&mut self.$field, ids); )*
                ids.record_sources(&mut self.sources);
            }
        }

        impl crate::reading::Fact for $name {
            fn fact_type() -> crate::reading::FactType {
                crate::reading::FactType::Record(<Self as crate::reading::Record>::record_type())
            }
            fn is_not_collected(&self) -> bool {
                $( crate::reading::Fact::is_not_collected(&self.$field) )&&* && self.sources.is_empty()
            }
            fn renumber(&mut self, ids: &crate::reading::Renumber<'_>) {
                <Self as crate::reading::Record>::renumber(self, ids);
            }
        }
    };
}

/// Sets a fact of a record to what was read, and notes where: `set!(record.field, read)`.
macro_rules! set {
    ($record:ident . $field:ident, $read:expr) => {{
        let read = $read;
        $record.sources.set(stringify!($field), read.source);
        $record.$field = read.reading;
    }};
}

/// Declares an enumerated fact: its words in JSON and expressions, in kebab case.
macro_rules! words {
    (
        $(#[doc = $doc:expr])*
        pub enum $name:ident {
            $( $(#[doc = $variant_doc:expr])* $variant:ident = $word:literal, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $( $(#[doc = $variant_doc])* #[serde(rename = $word)] $variant, )*
        }

        impl $name {
            /// Every word, in the order of declaration.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word in JSON and expressions.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $( Self::$variant => $word, )*
                }
            }
        }

        impl crate::reading::Leaf for $name {
            fn leaf_type() -> crate::reading::FactType {
                crate::reading::FactType::Enum(Self::WORDS)
            }
        }
    };
}
