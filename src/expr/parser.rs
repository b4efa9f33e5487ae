//! From tokens to a syntax tree, by precedence climbing (Pratt). Operators that chain to the left are taken in a loop,
//! and the recursion that is left is counted, so that no expression exhausts the stack.

use super::ast::{Additive, Ast, Comparison, HIGHEST, Kind, Multiplicative, Node, Word};
use super::diagnostic::{Diagnostic, Diagnostics, Span};
use super::lexer::{self, LONGEST, Literal, Token};
use super::number::Number;

/// The deepest nesting of parentheses, brackets, arguments, signs and choices.
pub(crate) const DEEPEST: usize = 48;

/// Parses an expression.
///
/// # Errors
/// Every mistake of the lexer and the first of the grammar, in the order of the source.
pub fn parse(source: &str) -> Result<Ast, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    match parse_into(source, &mut diagnostics) {
        Some(ast) if diagnostics.is_empty() => Ok(ast),
        _ => Err(diagnostics.into_sorted()),
    }
}

/// The tree even where literals are wrong, so that what else is wrong can be told with them.
pub(crate) fn parse_into(source: &str, diagnostics: &mut Diagnostics) -> Option<Ast> {
    if source.len() > LONGEST {
        let span = Span::new(0, source.len());
        let message = format!("the expression is {} bytes long, at most {LONGEST} are read", source.len());
        diagnostics.push(Diagnostic::new(span, message));
        return None;
    }
    let tokens = lexer::tokens(source, diagnostics);
    let mut parser = Parser { tokens: tokens.into_iter().peekable(), depth: 0, end: Span::default() };
    let root = parser.expression(Power::Choice).and_then(|root| match parser.next() {
        (Token::End, _) => Ok(root),
        (token, span) => Err(after(&token, span)),
    });
    match root {
        Ok(root) => Some(Ast { root }),
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            None
        }
    }
}

/// How tightly an operator binds its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Power {
    Choice,
    Or,
    And,
    Relation,
    Sum,
    Product,
    Unary,
}

type Parsed = Result<Node, Box<Diagnostic>>;

fn fail<T>(span: Span, message: impl Into<String>) -> Result<T, Box<Diagnostic>> {
    Err(Box::new(Diagnostic::new(span, message)))
}

fn fail_help<T>(span: Span, message: impl Into<String>, help: &str) -> Result<T, Box<Diagnostic>> {
    Err(Box::new(Diagnostic::new(span, message).help(help)))
}

fn told(token: &Token) -> String {
    match token {
        Token::Name(name) => format!("`{name}`"),
        Token::Int(_) | Token::Double(_) | Token::Quantity(_) => "a number".to_owned(),
        Token::Text(_) => "a text".to_owned(),
        Token::Bad => "a literal".to_owned(),
        Token::Mark(mark) => format!("`{mark}`"),
        Token::End => "the end".to_owned(),
    }
}

/// What cannot follow a whole expression.
fn after(token: &Token, span: Span) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(span, format!("an operator or the end is expected, not {}", told(token)));
    Box::new(match token {
        Token::Name(name) if name == "and" => diagnostic.help("`and` is written &&"),
        Token::Name(name) if name == "or" => diagnostic.help("`or` is written ||"),
        _ => diagnostic,
    })
}

/// Words that CEL reserves: no variable is named so.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "namespace",
    "package",
    "return",
    "var",
    "void",
    "while",
];

struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<(Token, Span)>>,
    depth: usize,
    /// The span of the token taken last.
    end: Span,
}

impl Parser {
    fn next(&mut self) -> (Token, Span) {
        let (token, span) = self.tokens.next().unwrap_or((Token::End, Span { start: self.end.end, end: self.end.end }));
        self.end = span;
        (token, span)
    }

    fn peek(&mut self) -> (&Token, Span) {
        self.tokens.peek().map_or((&Token::End, self.end), |(token, span)| (token, *span))
    }

    fn next_is(&mut self, mark: &str) -> bool {
        matches!(self.peek(), (Token::Mark(next), _) if *next == mark)
    }

    fn take(&mut self, mark: &str) -> bool {
        let is = self.next_is(mark);
        if is {
            self.next();
        }
        is
    }

    fn expect(&mut self, mark: &str, opened: Span) -> Result<Span, Box<Diagnostic>> {
        match self.next() {
            (Token::Mark(next), span) if next == mark => Ok(span),
            (Token::End, _) => fail(opened, format!("`{mark}` is missing")),
            (token, span) => fail(span, format!("`{mark}` or an operator is expected, not {}", told(&token))),
        }
    }

    fn node(&self, kind: Kind, span: Span) -> Parsed {
        let height = kind.height_of_parts() + 1;
        if height > HIGHEST {
            return fail(span, format!("the expression is nested more than {HIGHEST} deep"));
        }
        Ok(Node { kind, span, height, grouped: false })
    }

    fn expression(&mut self, power: Power) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            let span = self.peek().1;
            return fail(span, format!("the expression is nested more than {DEEPEST} deep"));
        }
        let node = self.operators(power);
        self.depth -= 1;
        node
    }

    fn operators(&mut self, power: Power) -> Parsed {
        let mut left = self.unary()?;
        while let Some((mark, binds)) = self.operator() {
            if binds < power {
                break;
            }
            self.next();
            left = match (mark, binds) {
                ("?", _) => self.choice(left)?,
                (_, Power::Relation) => self.relation(mark, left)?,
                _ => {
                    let tighter = match binds {
                        Power::Or => Power::And,
                        Power::And => Power::Relation,
                        Power::Sum => Power::Product,
                        _ => Power::Unary,
                    };
                    let right = self.expression(tighter)?;
                    self.join(mark, left, right)?
                }
            };
        }
        Ok(left)
    }

    fn operator(&mut self) -> Option<(&'static str, Power)> {
        let mark = match self.peek().0 {
            Token::Mark(mark) => *mark,
            Token::Name(name) if name == "in" => "in",
            _ => return None,
        };
        let power = match mark {
            "?" => Power::Choice,
            "||" => Power::Or,
            "&&" => Power::And,
            "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" => Power::Relation,
            "+" | "-" => Power::Sum,
            "*" | "/" => Power::Product,
            _ => return None,
        };
        Some((mark, power))
    }

    /// Two operands, or one more of a chain that is already there.
    fn join(&mut self, mark: &str, mut left: Node, right: Node) -> Parsed {
        let span = left.span.to(right.span);
        // Looking at the new term alone keeps long chains linear.
        let height = left.height.max(right.height + 1);
        let right = match (&mut left.kind, mark) {
            _ if left.grouped || height > HIGHEST => right,
            (Kind::And(terms), "&&") | (Kind::Or(terms), "||") => {
                terms.push(right);
                return Ok(Node { span, height, ..left });
            }
            (Kind::Sum(_, rest), "+" | "-") => {
                rest.push((additive(mark), right));
                return Ok(Node { span, height, ..left });
            }
            (Kind::Product(_, rest), "*" | "/") => {
                rest.push((multiplicative(mark), right));
                return Ok(Node { span, height, ..left });
            }
            _ => right,
        };
        let kind = match mark {
            "&&" => Kind::And(vec![left, right]),
            "||" => Kind::Or(vec![left, right]),
            "+" | "-" => Kind::Sum(Box::new(left), vec![(additive(mark), right)]),
            _ => Kind::Product(Box::new(left), vec![(multiplicative(mark), right)]),
        };
        self.node(kind, span)
    }

    fn relation(&mut self, mark: &'static str, left: Node) -> Parsed {
        let right = self.expression(Power::Sum)?;
        let span = left.span.to(right.span);
        if let Some((again, Power::Relation)) = self.operator() {
            let place = self.peek().1;
            let message = format!("`{again}` cannot follow `{mark}`: comparisons do not chain");
            return fail_help(place, message, "join two comparisons with &&, or put one of them in parentheses");
        }
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = match Comparison::of(mark) {
            Some(comparison) => Kind::Compare(comparison, left, right),
            None => Kind::In(left, right),
        };
        self.node(kind, span)
    }

    fn choice(&mut self, condition: Node) -> Parsed {
        let opened = self.end;
        let then = self.expression(Power::Or)?;
        match self.next() {
            (Token::Mark(":"), _) => {}
            (Token::End, _) => return fail(opened, "`:` is missing after this `?`"),
            (token, span) => return fail(span, format!("`:` is expected, not {}", told(&token))),
        }
        let otherwise = self.expression(Power::Choice)?;
        let span = condition.span.to(otherwise.span);
        self.node(Kind::Choice(Box::new([condition, then, otherwise])), span)
    }

    fn unary(&mut self) -> Parsed {
        let start = self.peek().1;
        if self.take("!") {
            let operand = self.expression(Power::Unary)?;
            let span = start.to(operand.span);
            return self.node(Kind::Not(Box::new(operand)), span);
        }
        if self.take("-") {
            let (token, end) = self.peek();
            let literal = match token {
                // 2^63 has no positive form; its negative is the smallest whole number.
                Token::Int(value) => Some(Kind::Int(0_i64.wrapping_sub_unsigned(*value))),
                Token::Double(value) => Some(Kind::Double(0.0 - *value)),
                Token::Quantity(Literal { number, dimension }) => {
                    let number = match number {
                        Number::Int(value) => value.checked_neg().map(Number::Int),
                        Number::Double(value) => Some(Number::Double(0.0 - *value)),
                    };
                    number.map(|number| Kind::Quantity(Literal { number, dimension: *dimension }))
                }
                _ => None,
            };
            if let Some(kind) = literal {
                self.next();
                let node = self.node(kind, start.to(end))?;
                return self.postfix(node);
            }
            let operand = self.expression(Power::Unary)?;
            let span = start.to(operand.span);
            return self.node(Kind::Negate(Box::new(operand)), span);
        }
        let primary = self.primary()?;
        self.postfix(primary)
    }

    /// Members, positions and method calls.
    fn postfix(&mut self, mut node: Node) -> Parsed {
        loop {
            if self.take(".") {
                let word = match self.next() {
                    (Token::Name(text), span) => Word { text, span },
                    (Token::Mark("?"), span) => {
                        return fail_help(span, "there are no optional members", "test with has(...)");
                    }
                    (token, span) => return fail(span, format!("a name is expected, not {}", told(&token))),
                };
                node = if self.next_is("(") {
                    let (arguments, end) = self.arguments()?;
                    let span = node.span.to(end);
                    self.node(Kind::Call { receiver: Some(Box::new(node)), name: word, arguments }, span)?
                } else {
                    let span = node.span.to(word.span);
                    self.node(Kind::Member(Box::new(node), word), span)?
                };
            } else if self.next_is("[") {
                let opened = self.next().1;
                let index = self.expression(Power::Choice)?;
                let span = node.span.to(self.expect("]", opened)?);
                node = self.node(Kind::Index(Box::new(node), Box::new(index)), span)?;
            } else {
                return Ok(node);
            }
        }
    }

    fn arguments(&mut self) -> Result<(Vec<Node>, Span), Box<Diagnostic>> {
        let opened = self.next().1;
        self.list(")", opened)
    }

    /// Expressions between commas up to the closing mark.
    fn list(&mut self, close: &'static str, opened: Span) -> Result<(Vec<Node>, Span), Box<Diagnostic>> {
        let mut nodes = Vec::new();
        while !self.next_is(close) {
            nodes.push(self.expression(Power::Choice)?);
            if !self.take(",") {
                break;
            }
        }
        let end = self.expect(close, opened)?;
        Ok((nodes, end))
    }

    fn primary(&mut self) -> Parsed {
        let (token, span) = self.next();
        let kind = match token {
            Token::Int(value) => match i64::try_from(value) {
                Ok(value) => Kind::Int(value),
                Err(_) => return fail(span, "the number does not fit 64 bits"),
            },
            Token::Double(value) => Kind::Double(value),
            Token::Quantity(literal) => Kind::Quantity(literal),
            Token::Text(text) => Kind::Text(text),
            Token::Bad => Kind::Bad,
            Token::Name(name) => return self.name(name, span),
            Token::Mark("(") => {
                let mut node = self.expression(Power::Choice)?;
                let end = self.expect(")", span)?;
                node.span = span.to(end);
                node.grouped = true;
                return Ok(node);
            }
            Token::Mark("[") => {
                let (nodes, end) = self.list("]", span)?;
                return self.node(Kind::List(nodes), span.to(end));
            }
            Token::Mark("{") => return fail(span, "there are no map or message literals"),
            Token::Mark("=") => return fail_help(span, "an expression is expected", "equality is written =="),
            Token::End => return fail(span, "an expression is expected"),
            token => return fail(span, format!("an expression is expected, not {}", told(&token))),
        };
        self.node(kind, span)
    }

    fn name(&mut self, text: String, span: Span) -> Parsed {
        match text.as_str() {
            "true" => return self.node(Kind::Bool(true), span),
            "false" => return self.node(Kind::Bool(false), span),
            "null" => {
                return fail_help(span, "there is no null", "whether something is there is tested with has(...)");
            }
            "in" => return fail(span, "an expression is expected, not `in`"),
            "not" => return fail_help(span, "`not` is no name", "`not` is written !"),
            text if RESERVED.contains(&text) => return fail(span, format!("`{text}` is a reserved word")),
            _ => {}
        }
        if self.next_is("(") {
            let (arguments, end) = self.arguments()?;
            let name = Word { text, span };
            return self.node(Kind::Call { receiver: None, name, arguments }, span.to(end));
        }
        self.node(Kind::Name(text), span)
    }
}

fn additive(mark: &str) -> Additive {
    if mark == "+" { Additive::Plus } else { Additive::Minus }
}

fn multiplicative(mark: &str) -> Multiplicative {
    if mark == "*" { Multiplicative::Times } else { Multiplicative::Over }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree with every operation in parentheses.
    fn shown(node: &Node, source: &str) -> String {
        let list = |nodes: &[Node]| nodes.iter().map(|node| shown(node, source)).collect::<Vec<_>>().join(" ");
        match &node.kind {
            Kind::Bool(_) | Kind::Int(_) | Kind::Double(_) | Kind::Quantity(_) | Kind::Text(_) | Kind::Bad => {
                node.span.of(source).to_owned()
            }
            Kind::Name(name) => name.clone(),
            Kind::List(nodes) => format!("[{}]", list(nodes)),
            Kind::Not(node) => format!("(! {})", shown(node, source)),
            Kind::Negate(node) => format!("(- {})", shown(node, source)),
            Kind::And(nodes) => format!("(&& {})", list(nodes)),
            Kind::Or(nodes) => format!("(|| {})", list(nodes)),
            Kind::Sum(first, rest) => {
                let rest = rest.iter().map(|(op, node)| {
                    format!(" {} {}", if *op == Additive::Plus { "+" } else { "-" }, shown(node, source))
                });
                format!("({}{})", shown(first, source), rest.collect::<String>())
            }
            Kind::Product(first, rest) => {
                let rest = rest.iter().map(|(op, node)| {
                    format!(" {} {}", if *op == Multiplicative::Times { "*" } else { "/" }, shown(node, source))
                });
                format!("({}{})", shown(first, source), rest.collect::<String>())
            }
            Kind::Compare(op, left, right) => {
                format!("({} {} {})", shown(left, source), op.mark(), shown(right, source))
            }
            Kind::In(left, right) => format!("({} in {})", shown(left, source), shown(right, source)),
            Kind::Choice(parts) => format!("(? {})", list(parts.as_slice())),
            Kind::Member(node, word) => format!("{}.{}", shown(node, source), word.text),
            Kind::Index(node, index) => format!("{}[{}]", shown(node, source), shown(index, source)),
            Kind::Call { receiver, name, arguments } => {
                let receiver = receiver.as_ref().map(|node| format!("{}.", shown(node, source))).unwrap_or_default();
                format!("{receiver}{}({})", name.text, list(arguments))
            }
        }
    }

    fn outcome(source: &str) -> String {
        match parse(source) {
            Ok(ast) => {
                assert_eq!(ast.root.span.of(source), source.trim(), "the root spans the whole");
                shown(&ast.root, source)
            }
            Err(diagnostics) => diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        }
    }

    #[test]
    fn operators_bind_as_in_cel() {
        for (source, expected) in [
            ("a || b && c || d", "(|| a (&& b c) d)"),
            ("(a || b) || c", "(|| (|| a b) c)"),
            ("1 + 2 * 3 - 4", "(1 + (2 * 3) - 4)"),
            ("1 - (2 - 3)", "(1 - (2 - 3))"),
            ("a * b / c", "(a * b / c)"),
            ("!a == b", "((! a) == b)"),
            ("-a.b * 2", "((- a.b) * 2)"),
            ("-5.abs()", "-5.abs()"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("a ? b || c : d ? e : f", "(? a (|| b c) (? d e f))"),
            ("a + 1 < b && c in [1, 2,]", "(&& ((a + 1) < b) (c in [1 2]))"),
            ("x.y[0].f(a, b).z", "x.y[0].f(a b).z"),
            ("size(xs.filter(x, x > 1))", "size(xs.filter(x (x > 1)))"),
            ("x.in", "x.in"),
        ] {
            assert_eq!(outcome(source), expected, "{source}");
        }
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (source, expected) in [
            ("", "0..0: an expression is expected"),
            ("a &&", "4..4: an expression is expected"),
            ("a b", "2..3: an operator or the end is expected, not `b`"),
            ("a and b", "2..5: an operator or the end is expected, not `and` (`and` is written &&)"),
            ("(a", "0..1: `)` is missing"),
            ("(a ]", "3..4: `)` or an operator is expected, not `]`"),
            ("f(a,,b)", "4..5: an expression is expected, not `,`"),
            (
                "a < b < c",
                "6..7: `<` cannot follow `<`: comparisons do not chain (join two comparisons with &&, or put one of them in parentheses)",
            ),
            ("a == null", "5..9: there is no null (whether something is there is tested with has(...))"),
            ("a ? b", "2..3: `:` is missing after this `?`"),
            ("{1: 2}", "0..1: there are no map or message literals"),
            ("a.?b", "2..3: there are no optional members (test with has(...))"),
            (
                "a = b",
                "2..3: `=` has no meaning here (equality is written ==); 4..5: an operator or the end is expected, not `b`",
            ),
            ("for + 1", "0..3: `for` is a reserved word"),
            ("9223372036854775808", "0..19: the number does not fit 64 bits"),
            (
                "5u + 'x",
                "0..2: `u` is no unit (whole numbers are written without a letter); 5..7: the text lacks its closing '",
            ),
        ] {
            assert_eq!(outcome(source), expected, "{source}");
        }
    }

    #[test]
    fn nesting_is_refused_before_it_hurts() {
        let deep = |open: &str, close: &str, count: usize| format!("{}1{}", open.repeat(count), close.repeat(count));
        for source in [
            deep("(", ")", 20_000),
            deep("[", "]", 20_000),
            deep("f(", ")", 20_000),
            deep("!", "", 60_000),
            deep("-", "", 60_000),
            deep("a ? b : ", "", 8_000),
            deep("a ? (", ") : c", 6_000),
            deep("", ".a", 30_000),
            deep("", "[0]", 20_000),
            deep("", ".f(1)", 10_000),
        ] {
            assert!(outcome(&source).contains("nested more than"), "{}", outcome(&source));
        }
        let long = deep("(", ")", 100_000);
        assert_eq!(outcome(&long), "0..200001: the expression is 200001 bytes long, at most 65536 are read");
    }

    #[test]
    fn chains_of_one_operator_are_flat() {
        for (operator, count) in [("+", 10_000), ("*", 10_000), ("&&", 10_000), ("||", 10_000), ("-", 10_000)] {
            let source = vec!["1"; count].join(operator);
            assert_eq!(parse(&source).unwrap().height(), 2, "{operator}");
        }
    }
}
