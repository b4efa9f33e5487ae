//! The syntax tree. No branch is higher than [`HIGHEST`]: chains of one operator are one node, and the parser builds
//! no node above that height, so that walking and dropping a tree never exhausts the stack.

use super::diagnostic::Span;
use super::lexer::Literal;

/// The greatest height of a tree.
pub const HIGHEST: u16 = 120;

/// An expression as written.
#[derive(Debug)]
pub struct Ast {
    pub(crate) root: Node,
}

impl Ast {
    /// The height of the tree.
    #[must_use]
    pub fn height(&self) -> u16 {
        self.root.height
    }
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// 1 for a leaf.
    pub(crate) height: u16,
    /// It stood in parentheses of its own, so no chain takes it in.
    pub(crate) grouped: bool,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Bool(bool),
    Int(i64),
    Double(f64),
    Quantity(Literal),
    Text(String),
    /// A literal that was wrong and has been told.
    Bad,
    Name(String),
    List(Vec<Node>),
    Not(Box<Node>),
    Negate(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
    /// `a + b - c`: the first, then operators and operands from left to right.
    Sum(Box<Node>, Vec<(Additive, Node)>),
    /// `a * b / c`.
    Product(Box<Node>, Vec<(Multiplicative, Node)>),
    Compare(Comparison, Box<Node>, Box<Node>),
    In(Box<Node>, Box<Node>),
    /// `condition ? then : otherwise`.
    Choice(Box<[Node; 3]>),
    Member(Box<Node>, Word),
    Index(Box<Node>, Box<Node>),
    Call {
        /// What stands before the point of a method call.
        receiver: Option<Box<Node>>,
        name: Word,
        arguments: Vec<Node>,
    },
}

/// A name with its place.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Additive {
    Plus,
    Minus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Multiplicative {
    Times,
    Over,
}

/// An operator that compares two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// As it is written.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }

    pub(crate) fn of(mark: &str) -> Option<Self> {
        [Self::Equal, Self::NotEqual, Self::Less, Self::AtMost, Self::Greater, Self::AtLeast]
            .into_iter()
            .find(|comparison| comparison.mark() == mark)
    }

    pub(crate) fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }

    /// Whether values in this order satisfy it.
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }
}

impl Kind {
    /// The height of the highest part.
    pub(crate) fn height_of_parts(&self) -> u16 {
        let of = |nodes: &[Node]| nodes.iter().map(|node| node.height).max().unwrap_or(0);
        match self {
            Self::Bool(_)
            | Self::Int(_)
            | Self::Double(_)
            | Self::Quantity(_)
            | Self::Text(_)
            | Self::Bad
            | Self::Name(_) => 0,
            Self::List(nodes) | Self::And(nodes) | Self::Or(nodes) => of(nodes),
            Self::Not(node) | Self::Negate(node) | Self::Member(node, _) => node.height,
            Self::Sum(first, rest) => rest.iter().map(|(_, node)| node.height).fold(first.height, u16::max),
            Self::Product(first, rest) => rest.iter().map(|(_, node)| node.height).fold(first.height, u16::max),
            Self::Compare(_, left, right) | Self::In(left, right) | Self::Index(left, right) => {
                left.height.max(right.height)
            }
            Self::Choice(parts) => of(parts.as_slice()),
            Self::Call { receiver, arguments, .. } => {
                of(arguments).max(receiver.as_ref().map_or(0, |receiver| receiver.height))
            }
        }
    }
}
