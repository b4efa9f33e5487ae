//! Static checks of calls: which function, how many arguments, of which types. Every function may be written as one,
//! `size(x)`, or as a method, `x.size()`; those that name an element, only as a method, but for `has`.

use super::ast::{Kind, Node, Word};
use super::check::{Checked, Checker, Local};
use super::diagnostic::{Diagnostic, Span};
use super::functions::{FUNCTIONS, Function};
use super::op::{Loop, LoopKind, Op, Version};
use super::types::Type;
use super::version::Scheme;
use crate::units::Dimension;
use crate::words::did_you_mean;

/// How large a compiled regular expression may be, in bytes, and how much memory matching may take.
const REGEX_BYTES: usize = 256 << 10;
/// How many regular expressions one expression may hold.
const REGEXES: usize = 8;

impl Checker<'_, '_> {
    pub(crate) fn call(&mut self, receiver: Option<&Node>, name: &Word, arguments: &[Node], span: Span) -> Checked {
        let Some(function) = Function::of(&name.text) else {
            let help = match name.text.as_str() {
                "existsOne" => Some("did you mean `exists_one`?".to_owned()),
                "len" | "length" => Some("did you mean `size`?".to_owned()),
                "avg" | "average" => Some("did you mean `mean`?".to_owned()),
                other => did_you_mean(other, FUNCTIONS.iter().map(|described| described.name)),
            };
            let message = format!("there is no function `{}`", name.text);
            self.diagnostics.push(Diagnostic::new(name.span, message).maybe(help));
            return Checked::wrong();
        };
        let loop_kind = match function {
            Function::All => Some(LoopKind::All),
            Function::Exists => Some(LoopKind::Exists),
            Function::ExistsOne => Some(LoopKind::ExistsOne),
            Function::Filter => Some(LoopKind::Filter),
            Function::Map => Some(LoopKind::Map),
            Function::Count => Some(LoopKind::Count),
            Function::GroupBy => Some(LoopKind::GroupBy),
            Function::CountBy => Some(LoopKind::CountBy),
            _ => None,
        };
        if let Some(kind) = loop_kind {
            let Some(receiver) = receiver else {
                let help = format!("it follows its list, as in {}", form(function));
                return self.tell_help(name.span, format!("`{}` stands alone", name.text), help);
            };
            return self.each(kind, function, receiver, arguments, span);
        }
        let nodes: Vec<&Node> = receiver.into_iter().chain(arguments).collect();
        if function == Function::Has {
            return self.has(&nodes, span);
        }
        if function == Function::Matches {
            return self.matches(&nodes, span);
        }
        let arity = match function {
            Function::Join | Function::Counted | Function::StartsWith | Function::EndsWith | Function::Contains => {
                2..=2
            }
            Function::VersionCompare | Function::VersionAtLeast => 3..=3,
            Function::Min | Function::Max => 1..=usize::MAX,
            _ => 1..=1,
        };
        if !arity.contains(&nodes.len()) {
            return self.arity(function, nodes.len(), span);
        }
        if let (Function::VersionCompare | Function::VersionAtLeast, [left, right, scheme]) =
            (function, nodes.as_slice())
        {
            return self.version(function, left, right, scheme);
        }
        let checked: Vec<Checked> = nodes.iter().map(|node| self.check(node)).collect();
        let ty = self.result(function, &checked, &nodes);
        let mut ops = checked;
        if function == Function::String
            && let Some(only) = ops.pop()
        {
            return Checked::new(Op::Show(Box::new((only.op, only.ty))), ty);
        }
        Checked::new(Op::Call(function, ops.into_iter().map(|checked| checked.op).collect()), ty)
    }

    fn arity(&mut self, function: Function, found: usize, span: Span) -> Checked {
        let message = format!("`{}` is written {}, here with {found} in all", function.name(), form(function));
        self.tell(span, message)
    }

    /// What a function gives for arguments of these types; told if it does not take them.
    fn result(&mut self, function: Function, checked: &[Checked], nodes: &[&Node]) -> Type {
        let (Some(first), Some(node)) = (checked.first(), nodes.first()) else { return Type::Any };
        if first.ty == Type::Any && function != Function::String {
            return match function {
                Function::StartsWith | Function::EndsWith | Function::Contains => Type::Bool,
                Function::Size => Type::Int,
                _ => Type::Any,
            };
        }
        let wants = |what: &str| format!("`{}` takes {what}, this is {}", function.name(), first.ty);
        match (function, &first.ty) {
            (Function::Size, Type::List(_) | Type::Text | Type::Enum(_)) => Type::Int,
            (Function::Size, _) => self.tell(node.span, wants("a list or a text")).ty,
            (Function::Min | Function::Max, Type::Int | Type::Number(_)) => self.smallest(function, checked, nodes),
            (Function::Min | Function::Max, Type::List(_)) if checked.len() > 1 => {
                self.tell(node.span, wants("one list, or numbers")).ty
            }
            (Function::Sum | Function::Min | Function::Max | Function::Median | Function::Mean, Type::List(item)) => {
                match (function, item.as_ref()) {
                    (Function::Sum, Type::Number(Dimension::Celsius)) => {
                        self.tell(node.span, "temperatures have no sum").ty
                    }
                    (_, Type::Any) => Type::Int,
                    (Function::Mean | Function::Median, Type::Int) => Type::Number(Dimension::None),
                    (_, ty @ (Type::Int | Type::Number(_))) => ty.clone(),
                    _ => self.tell(node.span, wants("a list of numbers")).ty,
                }
            }
            (Function::Sum | Function::Min | Function::Max | Function::Median | Function::Mean, _) => {
                self.tell(node.span, wants("a list of numbers")).ty
            }
            (Function::Distinct | Function::Sort, Type::List(item)) => match item.as_ref() {
                Type::List(_) | Type::Record(_) | Type::Group(_) | Type::Count(_) => {
                    let help = "take one member of each first, with map";
                    self.tell_help(node.span, wants("a list of numbers, texts or flags"), help).ty
                }
                _ => first.ty.clone(),
            },
            (Function::Distinct | Function::Sort, _) => self.tell(node.span, wants("a list")).ty,
            (Function::Join, Type::List(item)) if item.is_text() => {
                self.text(function, checked.get(1), nodes.get(1));
                Type::Text
            }
            (Function::Join, _) => self.tell(node.span, wants("a list of texts")).ty,
            (Function::Counted, Type::Int) => {
                self.text(function, checked.get(1), nodes.get(1));
                Type::Text
            }
            (Function::Counted, _) => self.tell(node.span, wants("a whole number")).ty,
            (Function::Contains, Type::List(_)) => {
                self.tell_help(node.span, wants("a text"), "whether a list has an element is written `x in list`").ty
            }
            (Function::StartsWith | Function::EndsWith | Function::Contains, _) => {
                self.text(function, Some(first), Some(node));
                self.text(function, checked.get(1), nodes.get(1));
                Type::Bool
            }
            (Function::LowerAscii | Function::UpperAscii | Function::Trim, _) => {
                self.text(function, Some(first), Some(node));
                Type::Text
            }
            (Function::Abs, Type::Int | Type::Number(_)) => first.ty.clone(),
            (Function::Round | Function::Floor | Function::Ceil, Type::Int | Type::Number(Dimension::None)) => {
                Type::Int
            }
            (Function::Round | Function::Floor | Function::Ceil, Type::Number(_)) => first.ty.clone(),
            (Function::Abs | Function::Round | Function::Floor | Function::Ceil, _) => {
                self.tell(node.span, wants("a number")).ty
            }
            (Function::Int, Type::Int | Type::Number(_) | Type::Text) => Type::Int,
            (Function::Double, Type::Int | Type::Number(_) | Type::Text) => Type::Number(Dimension::None),
            (Function::Int | Function::Double, _) => self.tell(node.span, wants("a number or a text")).ty,
            (Function::String, Type::List(_) | Type::Record(_) | Type::Group(_) | Type::Count(_)) => {
                self.tell(node.span, wants("a number, a text or a flag")).ty
            }
            (Function::String, _) => Type::Text,
            (Function::BitsPerSecond, Type::Number(Dimension::BytesPerSecond)) => {
                Type::Number(Dimension::BitsPerSecond)
            }
            (Function::BytesPerSecond, Type::Number(Dimension::BitsPerSecond)) => {
                Type::Number(Dimension::BytesPerSecond)
            }
            (Function::BitsPerSecond, _) => self.tell(node.span, wants("a throughput in bytes per second")).ty,
            (Function::BytesPerSecond, _) => self.tell(node.span, wants("a link rate in bits per second")).ty,
            // The others are checked on their own.
            _ => Type::Any,
        }
    }

    /// `min(a, b, ...)`: numbers that measure the same.
    fn smallest(&mut self, function: Function, checked: &[Checked], nodes: &[&Node]) -> Type {
        let mut ty = Type::Any;
        for (argument, node) in checked.iter().zip(nodes) {
            if argument.ty.dimension().is_none() && argument.ty != Type::Any {
                self.tell(node.span, format!("`{}` takes numbers, this is {}", function.name(), argument.ty));
                return Type::Any;
            }
            match ty.join(&argument.ty) {
                Some(joined) => ty = joined,
                None => {
                    let message = format!("`{}` compares unlike things: {ty} and {}", function.name(), argument.ty);
                    self.tell(node.span, message);
                    return Type::Any;
                }
            }
        }
        ty
    }

    fn text(&mut self, function: Function, checked: Option<&Checked>, node: Option<&&Node>) {
        if let (Some(checked), Some(node)) = (checked, node)
            && !checked.ty.is_text()
        {
            self.tell(node.span, format!("`{}` takes text, this is {}", function.name(), checked.ty));
        }
    }

    fn has(&mut self, nodes: &[&Node], span: Span) -> Checked {
        let [node] = nodes else { return self.arity(Function::Has, nodes.len(), span) };
        let checked = self.check(node);
        if !matches!(node.kind, Kind::Name(_) | Kind::Member(..) | Kind::Index(..)) && checked.ty != Type::Any {
            self.tell(node.span, "`has` takes a name, a member or a position");
        }
        Checked::new(Op::Has(Box::new(checked.op)), Type::Bool)
    }

    fn matches(&mut self, nodes: &[&Node], span: Span) -> Checked {
        let [text, pattern] = nodes else { return self.arity(Function::Matches, nodes.len(), span) };
        let checked = self.check(text);
        self.text(Function::Matches, Some(&checked), Some(text));
        let Kind::Text(pattern_text) = &pattern.kind else {
            if !matches!(pattern.kind, Kind::Bad) {
                self.check(pattern);
                self.tell(pattern.span, "a regular expression is a text that is written out");
            }
            return Checked::new(Op::Bool(false), Type::Bool);
        };
        self.regexes += 1;
        if self.regexes > REGEXES {
            let message = format!("an expression holds at most {REGEXES} regular expressions");
            self.tell(pattern.span, message);
            return Checked::new(Op::Bool(false), Type::Bool);
        }
        let op = match super::regexes::build(pattern_text, REGEX_BYTES) {
            Ok((regex, bytes)) => {
                self.regex_bytes += bytes;
                Op::Matches(Box::new((checked.op, regex)))
            }
            Err(error) => {
                let message = match error {
                    regex::Error::CompiledTooBig(_) => {
                        format!("the regular expression takes more than {} KiB", REGEX_BYTES >> 10)
                    }
                    // Its first lines repeat the pattern with a mark under the place.
                    other => {
                        let text = other.to_string();
                        let cause = text.lines().last().unwrap_or_default();
                        format!("no regular expression: {}", cause.strip_prefix("error: ").unwrap_or(cause))
                    }
                };
                self.tell(pattern.span, message).op
            }
        };
        Checked::new(op, Type::Bool)
    }

    fn version(&mut self, function: Function, left: &Node, right: &Node, scheme: &Node) -> Checked {
        let (l, r) = (self.check(left), self.check(right));
        self.text(function, Some(&l), Some(&left));
        self.text(function, Some(&r), Some(&right));
        let at_least = function == Function::VersionAtLeast;
        let ty = if at_least { Type::Bool } else { Type::Int };
        let names = || Scheme::ALL.iter().map(|(_, name, _)| *name);
        let named = match &scheme.kind {
            Kind::Text(name) => match Scheme::of(name) {
                Some(named) => Some(named),
                None => {
                    let help = did_you_mean(name, names())
                        .unwrap_or_else(|| format!("there are {}", names().collect::<Vec<_>>().join(", ")));
                    self.tell_help(scheme.span, format!("there is no version scheme `{name}`"), help);
                    None
                }
            },
            Kind::Bad => None,
            _ => {
                let help = format!("one of {}", names().collect::<Vec<_>>().join(", "));
                self.tell_help(scheme.span, "a version scheme is a text that is written out", help);
                None
            }
        };
        let Some(named) = named else { return Checked::new(Op::Bool(false), ty) };
        for (side, node) in [(&l, left), (&r, right)] {
            // A limit that the scheme cannot read would make the check unknown on every node.
            if let Op::Text(text) = &side.op
                && named.compare(text, text).is_none()
            {
                self.tell(node.span, format!("`{text}` is no version of the scheme {}", named.name()));
            }
        }
        Checked::new(Op::Version(Box::new(Version { scheme: named, left: l.op, right: r.op, at_least })), ty)
    }

    /// A function that names the element: `list.all(x, test)`.
    fn each(
        &mut self,
        mut kind: LoopKind,
        function: Function,
        receiver: &Node,
        arguments: &[Node],
        span: Span,
    ) -> Checked {
        let list = self.check(receiver);
        let item = match &list.ty {
            Type::List(item) => item.as_ref().clone(),
            Type::Any => Type::Any,
            other => {
                let message = format!("`{}` follows a list, this is {other}", function.name());
                self.tell(receiver.span, message);
                Type::Any
            }
        };
        let (name, body, then) = match (kind, arguments) {
            (LoopKind::Map, [name, test, value]) => {
                kind = LoopKind::FilterMap;
                (name, test, Some(value))
            }
            (_, [name, body]) => (name, body, None),
            _ => return self.arity(function, arguments.len(), span),
        };
        let Kind::Name(element) = &name.kind else {
            let help = format!("as in {}", form(function));
            return self.tell_help(name.span, "the first argument names the element", help);
        };
        if self.locals.iter().any(|local| local.name == *element) || self.scope.slot(element).is_some() {
            self.tell_help(name.span, format!("`{element}` is a name already"), "give the element a name of its own");
        }
        let local = self.locals.len();
        self.locals.push(Local { name: element.clone(), ty: item.clone(), used: false });
        self.most_locals = self.most_locals.max(self.locals.len());
        let test = matches!(
            kind,
            LoopKind::All
                | LoopKind::Exists
                | LoopKind::ExistsOne
                | LoopKind::Filter
                | LoopKind::FilterMap
                | LoopKind::Count
        );
        let body = if test {
            Checked::new(self.bool(body, &format!("the test of `{}`", function.name())), Type::Bool)
        } else {
            let checked = self.check(body);
            if matches!(kind, LoopKind::GroupBy | LoopKind::CountBy)
                && matches!(checked.ty, Type::List(_) | Type::Record(_) | Type::Group(_) | Type::Count(_))
            {
                let message = format!("a key is a number, a text or a flag, this is {}", checked.ty);
                self.tell(body.span, message);
            }
            checked
        };
        let then = then.map(|value| self.check(value));
        if let Some(local) = self.locals.pop()
            && !local.used
        {
            let message = format!("`{element}` is named and never used: the same is asked for every element");
            self.warnings.push(Diagnostic::new(name.span, message));
        }
        let ty = match kind {
            LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne => Type::Bool,
            LoopKind::Count => Type::Int,
            LoopKind::Filter => Type::List(Box::new(item)),
            LoopKind::Map => Type::List(Box::new(body.ty)),
            LoopKind::FilterMap => Type::List(Box::new(then.as_ref().map_or(Type::Any, |checked| checked.ty.clone()))),
            LoopKind::GroupBy => Type::List(Box::new(Type::Group(Box::new((body.ty, item))))),
            LoopKind::CountBy => Type::List(Box::new(Type::Count(Box::new(body.ty)))),
        };
        let then = then.map(|checked| checked.op);
        Checked::new(Op::Loop(Box::new(Loop { kind, list: list.op, local, body: body.op, then })), ty)
    }
}

/// How a function is written.
fn form(function: Function) -> String {
    let forms = function.described().map(|described| described.forms).unwrap_or_default();
    let forms: Vec<String> =
        forms.iter().map(|form| format!("`{}`", form.split(" -> ").next().unwrap_or_default())).collect();
    forms.join(" or ")
}
