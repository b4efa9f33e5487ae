//! Random expressions by type. Each comes in our language and, where CEL can say it, in CEL, with every departure
//! translated: real division, mixed arithmetic, units, names of functions.

use super::world::{TEXTS, WORDS, item_fields};
use passmuster::expr::Type;
use passmuster::units::Dimension;

/// Random choices, read from bytes: what shrinks the bytes shrinks the expression.
pub struct Choices<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Choices<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }
    /// One of `count`; the first when the bytes are used up.
    pub fn pick(&mut self, count: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % count.max(1)
    }
}

/// An expression in both languages.
#[derive(Debug, Clone)]
pub struct Pair {
    pub ours: String,
    pub cel: String,
}

impl Pair {
    fn same(text: impl Into<String>) -> Self {
        let ours = text.into();
        Self { cel: ours.clone(), ours }
    }
    fn new(ours: impl Into<String>, cel: impl Into<String>) -> Self {
        Self { ours: ours.into(), cel: cel.into() }
    }
}

const INT: Type = Type::Int;
const NUMBER: Type = Type::Number(Dimension::None);
const RATIO: Type = Type::Number(Dimension::Ratio);
const BYTES: Type = Type::Number(Dimension::Bytes);

fn list(item: Type) -> Type {
    Type::List(Box::new(item))
}

pub struct Generator<'c, 'b> {
    pub choices: &'c mut Choices<'b>,
    /// Only what CEL can say.
    pub cel_only: bool,
    /// Names of elements with their types.
    pub locals: Vec<(String, Type)>,
    pub item: Type,
    /// A list is made whose elements may be in error or left out: CEL gives up where we keep what is known.
    pub makes_lists: bool,
    names: usize,
    /// Whether a member may follow a position.
    indexes: bool,
}

impl<'c, 'b> Generator<'c, 'b> {
    pub fn new(choices: &'c mut Choices<'b>, item: Type, cel_only: bool) -> Self {
        Self { choices, cel_only, locals: Vec::new(), item, makes_lists: false, names: 0, indexes: true }
    }

    fn pick(&mut self, count: usize) -> usize {
        self.choices.pick(count)
    }

    /// An expression of any type that can be compared or told.
    pub fn any(&mut self, depth: usize) -> (Pair, Type) {
        let types =
            [Type::Bool, INT, NUMBER, BYTES, RATIO, Type::Text, list(INT), list(Type::Text), list(BYTES), list(NUMBER)];
        let ty = types[self.pick(types.len())].clone();
        (self.of(&ty, depth), ty)
    }

    pub fn of(&mut self, ty: &Type, depth: usize) -> Pair {
        if depth == 0 {
            return self.leaf(ty);
        }
        match ty {
            Type::Bool => self.bool(depth),
            Type::Int => self.int(depth),
            Type::Number(dimension) => self.number(*dimension, depth),
            Type::Text | Type::Enum(_) => self.text(depth),
            Type::List(item) => self.list(item, depth),
            _ => self.record(depth),
        }
    }

    fn literal(&mut self, ty: &Type) -> Pair {
        match ty {
            Type::Bool => Pair::same(["true", "false"][self.pick(2)]),
            Type::Int => {
                let ints = ["0", "1", "2", "3", "7", "-2", "1", "2", "3", "5", "9223372036854775807"];
                Pair::same(ints[self.pick(ints.len())])
            }
            Type::Number(Dimension::None) => Pair::same(["0.0", "1.0", "2.5", "-1.5", "1e2"][self.pick(5)]),
            Type::Number(Dimension::Ratio) => {
                let (ours, cel) = [("10%", "0.1"), ("0%", "0.0"), ("150%", "1.5"), ("50%", "0.5")][self.pick(4)];
                Pair::new(ours, cel)
            }
            Type::Number(_) => {
                let (ours, cel) =
                    [("0B", "0.0"), ("1B", "1.0"), ("8B", "8.0"), ("2.5B", "2.5"), ("1KiB", "1024.0")][self.pick(5)];
                Pair::new(ours, cel)
            }
            Type::Text => Pair::same(format!("{:?}", TEXTS[self.pick(TEXTS.len())])),
            Type::Enum(_) => Pair::same(format!("{:?}", WORDS[self.pick(WORDS.len())])),
            Type::List(item) => {
                self.makes_lists = true;
                let count = self.pick(4);
                if count == 0 {
                    // An empty list has no type: a test that none passes gives one to it.
                    return self.path(ty);
                }
                let items: Vec<Pair> = (0..count).map(|_| self.literal(item)).collect();
                let join = |side: fn(&Pair) -> &str| items.iter().map(side).collect::<Vec<_>>().join(", ");
                Pair::new(format!("[{}]", join(|pair| &pair.ours)), format!("[{}]", join(|pair| &pair.cel)))
            }
            _ => Pair::same("node.box"),
        }
    }

    /// A record that has the fields of an item.
    fn holder(&mut self) -> Pair {
        let elements: Vec<String> =
            self.locals.iter().filter(|(_, ty)| *ty == self.item).map(|(name, _)| name.clone()).collect();
        match self.pick(3 + 2 * elements.len()) {
            0 => Pair::same("node"),
            1 => Pair::same("node.box"),
            2 if self.indexes => {
                let place = [0, 1, 0, 2][self.pick(4)];
                Pair::same(format!("{}[{place}]", ["node.items", "node.others"][self.pick(2)]))
            }
            2 => Pair::same("node"),
            other => Pair::same(elements[(other - 3) % elements.len()].clone()),
        }
    }

    fn path(&mut self, ty: &Type) -> Pair {
        let fields: Vec<&str> =
            item_fields().into_iter().filter(|(_, field)| field == ty).map(|(name, _)| name).collect();
        let holder = self.holder();
        if fields.is_empty() {
            return match ty {
                Type::List(item) if **item == BYTES => {
                    Pair::same(format!("{}.map(s, s.size)", ["node.items", "node.others"][self.pick(2)]))
                }
                Type::List(_) => Pair::same(["node.items", "node.others"][self.pick(2)]),
                _ => Pair::same("node.box"),
            };
        }
        let field = fields[self.pick(fields.len())];
        Pair::new(format!("{}.{field}", holder.ours), format!("{}.{field}", holder.cel))
    }

    fn leaf(&mut self, ty: &Type) -> Pair {
        let mut locals = self.locals.iter().filter(|(_, local)| local == ty);
        let local = locals.next_back().map(|(name, _)| name.clone());
        match (self.pick(4), local) {
            (0, _) => self.literal(ty),
            (1 | 2, Some(name)) => Pair::same(name),
            _ => self.path(ty),
        }
    }

    fn record(&mut self, _depth: usize) -> Pair {
        match self.pick(3) {
            0 => Pair::same("node.box"),
            _ => {
                let place = [0, 1, 0, 2][self.pick(4)];
                Pair::same(format!("node.items[{place}]"))
            }
        }
    }

    fn binary(&mut self, left: &Type, mark: &str, right: &Type, depth: usize) -> Pair {
        let (l, r) = (self.of(left, depth - 1), self.of(right, depth - 1));
        Pair::new(format!("({} {mark} {})", l.ours, r.ours), format!("({} {mark} {})", l.cel, r.cel))
    }

    fn choice(&mut self, ty: &Type, depth: usize) -> Pair {
        let condition = self.of(&Type::Bool, depth - 1);
        let (then, otherwise) = (self.of(ty, depth - 1), self.of(ty, depth - 1));
        Pair::new(
            format!("({} ? {} : {})", condition.ours, then.ours, otherwise.ours),
            format!("({} ? {} : {})", condition.cel, then.cel, otherwise.cel),
        )
    }

    /// A list, a new name for its elements, and what is made of them.
    fn each(&mut self, function: &str, body: &Type, depth: usize) -> Pair {
        let item = self.item.clone();
        let items = [item, INT, Type::Text, NUMBER];
        let of = items[self.pick(items.len())].clone();
        let list = self.of(&list(of.clone()), depth - 1);
        self.names += 1;
        let name = format!("x{}", self.names);
        self.locals.push((name.clone(), of));
        let body = self.of(body, depth - 1);
        self.locals.pop();
        Pair::new(
            format!("{}.{function}({name}, {})", list.ours, body.ours),
            format!("{}.{function}({name}, {})", list.cel, body.cel),
        )
    }

    fn bool(&mut self, depth: usize) -> Pair {
        let count = if self.cel_only { 17 } else { 20 };
        match self.pick(count) {
            0 | 1 => self.binary(&Type::Bool, "&&", &Type::Bool, depth),
            2 | 3 => self.binary(&Type::Bool, "||", &Type::Bool, depth),
            4 => {
                let inner = self.of(&Type::Bool, depth - 1);
                Pair::new(format!("!{}", inner.ours), format!("!{}", inner.cel))
            }
            5 | 6 => {
                let types = [INT, NUMBER, BYTES, RATIO];
                let ty = types[self.pick(types.len())].clone();
                let mark = ["<", "<=", ">", ">=", "==", "!="][self.pick(6)];
                self.binary(&ty, mark, &ty, depth)
            }
            7 => {
                let types = [Type::Bool, Type::Text, list(INT), list(Type::Text)];
                let ty = types[self.pick(types.len())].clone();
                let mark = ["==", "!="][self.pick(2)];
                self.binary(&ty, mark, &ty, depth)
            }
            8 => {
                // An enumerated fact and its words.
                let path = self.path(&Type::Enum(WORDS));
                let word = self.literal(&Type::Enum(WORDS));
                Pair::new(format!("({} == {})", path.ours, word.ours), format!("({} == {})", path.cel, word.cel))
            }
            9 => self.each("all", &Type::Bool, depth),
            10 => self.each("exists", &Type::Bool, depth),
            11 => {
                self.makes_lists = true;
                self.each("exists_one", &Type::Bool, depth)
            }
            12 => {
                let ty = [INT, Type::Text][self.pick(2)].clone();
                let mut pair = self.binary(&ty, "in", &list(ty.clone()), depth);
                // `in` over a list that a fact holds, or over one that is written out.
                if self.pick(2) == 1 {
                    self.makes_lists = true;
                    let (item, one, two) = (self.of(&ty, depth - 1), self.of(&ty, depth - 1), self.of(&ty, depth - 1));
                    pair = Pair::new(
                        format!("({} in [{}, {}])", item.ours, one.ours, two.ours),
                        format!("({} in [{}, {}])", item.cel, one.cel, two.cel),
                    );
                }
                pair
            }
            13 => {
                let types = [Type::Text, INT, Type::Bool, Type::Enum(WORDS), list(INT)];
                let ty = types[self.pick(types.len())].clone();
                // Of a position beyond the end CEL makes an error, ours is false.
                self.indexes = !self.cel_only;
                let path = self.path(&ty);
                self.indexes = true;
                Pair::new(format!("has({})", path.ours), format!("has({})", path.cel))
            }
            14 => {
                let (text, part) = (self.of(&Type::Text, depth - 1), self.of(&Type::Text, depth - 1));
                let function = ["startsWith", "endsWith", "contains"][self.pick(3)];
                Pair::new(
                    format!("{}.{function}({})", text.ours, part.ours),
                    format!("{}.{function}({})", text.cel, part.cel),
                )
            }
            15 => {
                let text = self.of(&Type::Text, depth - 1);
                let regex = ["'^a'", "'[0-9]+'", "'b$'", "'(a|s)(b|d)'", "''"][self.pick(5)];
                Pair::new(format!("{}.matches({regex})", text.ours), format!("{}.matches({regex})", text.cel))
            }
            16 => self.choice(&Type::Bool, depth),
            17 => {
                let (left, right) = (self.path(&Type::Text), self.path(&Type::Text));
                let scheme = ["dotted", "prefixed", "hex", "debian"][self.pick(4)];
                Pair::new(format!("version_at_least({}, {}, \"{scheme}\")", left.ours, right.ours), "")
            }
            18 => {
                let path = self.record(depth);
                Pair::new(format!("has({})", path.ours), "")
            }
            _ => {
                let key = [INT, Type::Text, Type::Bool][self.pick(3)].clone();
                let function = ["group_by", "count_by"][self.pick(2)];
                let groups = self.each(function, &key, depth);
                let test = match (function, self.pick(3)) {
                    (_, 0) => "size(g.key == g.key ? \"a\" : \"\") > 0",
                    ("group_by", 1) => "size(g.items) > 1",
                    ("group_by", _) => "g.items == g.items || size(g.items) == 0",
                    _ => "g.count > 1",
                };
                let test = if test.contains("g.items ==") { "g.items.exists(i, true)" } else { test };
                let quantifier = ["all", "exists", "exists_one"][self.pick(3)];
                Pair::new(format!("{}.{quantifier}(g, {test})", groups.ours), "")
            }
        }
    }

    fn int(&mut self, depth: usize) -> Pair {
        let count = if self.cel_only { 10 } else { 13 };
        match self.pick(count) {
            0 => self.binary(&INT, "+", &INT, depth),
            1 => self.binary(&INT, "-", &INT, depth),
            2 => self.binary(&INT, "*", &INT, depth),
            3 => {
                let inner = self.of(&INT, depth - 1);
                Pair::new(format!("-({})", inner.ours), format!("-({})", inner.cel))
            }
            4 => {
                let items = [self.item.clone(), INT, Type::Text];
                let ty = list(items[self.pick(3)].clone());
                let inner = self.of(&ty, depth - 1);
                Pair::new(format!("size({})", inner.ours), format!("size({})", inner.cel))
            }
            5 => {
                let inner = self.of(&Type::Text, depth - 1);
                Pair::new(format!("{}.size()", inner.ours), format!("{}.size()", inner.cel))
            }
            6 => {
                let list = self.of(&list(INT), depth - 1);
                let place = [0, 1, 0, 0, 2][self.pick(5)];
                Pair::new(format!("{}[{place}]", list.ours), format!("{}[{place}]", list.cel))
            }
            7 => {
                let inner = self.of(&NUMBER, depth - 1);
                Pair::new(format!("int({})", inner.ours), format!("int({})", inner.cel))
            }
            8 => {
                self.makes_lists = true;
                let filtered = self.each("filter", &Type::Bool, depth);
                let ours = filtered.ours.replacen(".filter(", ".count(", 0);
                Pair::new(format!("size({ours})"), format!("size({})", filtered.cel))
            }
            9 => self.choice(&INT, depth),
            10 => self.each("count", &Type::Bool, depth),
            11 => {
                let inner = self.of(&list(INT), depth - 1);
                let function = ["sum", "min", "max"][self.pick(3)];
                Pair::new(format!("{function}({})", inner.ours), "")
            }
            _ => {
                let (left, right) = (self.path(&Type::Text), self.path(&Type::Text));
                Pair::new(format!("version_compare({}, {}, \"dotted\")", left.ours, right.ours), "")
            }
        }
    }

    /// Division that fails where ours is unknown: CEL makes infinity of it.
    fn over(left: &Pair, right: &Pair) -> Pair {
        Pair::new(
            format!("({} / {})", left.ours, right.ours),
            format!("({right} == 0.0 ? [0.0][1] : {} / {right})", left.cel, right = right.cel),
        )
    }

    fn number(&mut self, dimension: Dimension, depth: usize) -> Pair {
        let ty = Type::Number(dimension);
        let count = if self.cel_only { 8 } else { 11 };
        match self.pick(count) {
            0 => self.binary(&ty, "+", &ty, depth),
            1 => self.binary(&ty, "-", &ty, depth),
            2 => {
                // A plain number times a quantity; a ratio times a literal number is a ratio.
                let factor =
                    if dimension == Dimension::Ratio { self.literal(&NUMBER) } else { self.of(&NUMBER, depth - 1) };
                let inner = self.of(&ty, depth - 1);
                Pair::new(format!("({} * {})", factor.ours, inner.ours), format!("({} * {})", factor.cel, inner.cel))
            }
            3 => match dimension {
                Dimension::None => {
                    // Whole numbers divide to a real one.
                    let (left, right) = (self.of(&INT, depth - 1), self.of(&INT, depth - 1));
                    let cel = |pair: &Pair| Pair::new(pair.ours.clone(), format!("double({})", pair.cel));
                    Self::over(&cel(&left), &cel(&right))
                }
                Dimension::Ratio => {
                    let (left, right) = (self.of(&BYTES, depth - 1), self.of(&BYTES, depth - 1));
                    Self::over(&left, &right)
                }
                _ => {
                    let (left, right) = (self.of(&ty, depth - 1), self.of(&NUMBER, depth - 1));
                    Self::over(&left, &right)
                }
            },
            4 => match dimension {
                Dimension::None => {
                    // Mixed arithmetic.
                    let (left, right) = (self.of(&INT, depth - 1), self.of(&NUMBER, depth - 1));
                    let mark = ["+", "-", "*"][self.pick(3)];
                    Pair::new(
                        format!("({} {mark} {})", left.ours, right.ours),
                        format!("(double({}) {mark} {})", left.cel, right.cel),
                    )
                }
                _ => {
                    let inner = self.of(&ty, depth - 1);
                    Pair::new(format!("-({})", inner.ours), format!("-({})", inner.cel))
                }
            },
            5 => self.choice(&ty, depth),
            6 if dimension == Dimension::None => {
                let inner = self.of(&list(NUMBER), depth - 1);
                let place = [0, 1, 0, 0, 2][self.pick(5)];
                Pair::new(format!("{}[{place}]", inner.ours), format!("{}[{place}]", inner.cel))
            }
            6 => {
                let inner = self.of(&ty, depth - 1);
                // -0.0 is no value of ours.
                Pair::new(format!("abs({})", inner.ours), format!("({0} < 0.0 ? -({0}) : {0})", inner.cel))
            }
            7 if dimension == Dimension::None => {
                let types = [INT, BYTES, RATIO];
                let from = types[self.pick(3)].clone();
                let inner = self.of(&from, depth - 1);
                Pair::new(format!("double({})", inner.ours), format!("double({})", inner.cel))
            }
            7 => self.path(&ty),
            8 => {
                let inner = self.of(&list(if dimension == Dimension::Bytes { BYTES } else { NUMBER }), depth - 1);
                let function = ["sum", "min", "max", "median", "mean"][self.pick(5)];
                let ours = format!("{function}({})", inner.ours);
                Pair::new(if dimension == Dimension::Ratio { format!("(0% + {ours})") } else { ours }, "")
            }
            9 => {
                let (one, two) = (self.of(&ty, depth - 1), self.of(&ty, depth - 1));
                Pair::new(format!("{}({}, {})", ["min", "max"][self.pick(2)], one.ours, two.ours), "")
            }
            _ => {
                let inner = self.of(&ty, depth - 1);
                match dimension {
                    Dimension::None => {
                        Pair::new(format!("(0.0 + {}({}))", ["round", "floor", "ceil"][self.pick(3)], inner.ours), "")
                    }
                    _ => Pair::new(format!("{}({})", ["round", "floor", "ceil"][self.pick(3)], inner.ours), ""),
                }
            }
        }
    }

    fn text(&mut self, depth: usize) -> Pair {
        let count = if self.cel_only { 6 } else { 9 };
        match self.pick(count) {
            0 => self.binary(&Type::Text, "+", &Type::Text, depth),
            1 => self.choice(&Type::Text, depth),
            2 => {
                let types = [INT, Type::Bool, Type::Text];
                let from = types[self.pick(3)].clone();
                let inner = self.of(&from, depth - 1);
                Pair::new(format!("string({})", inner.ours), format!("string({})", inner.cel))
            }
            3 => {
                let inner = self.of(&list(Type::Text), depth - 1);
                let place = [0, 1, 0, 0, 2][self.pick(5)];
                Pair::new(format!("{}[{place}]", inner.ours), format!("{}[{place}]", inner.cel))
            }
            4 => {
                let inner = self.of(&Type::Text, depth - 1);
                let function = ["lowerAscii", "upperAscii", "trim"][self.pick(3)];
                Pair::new(format!("{}.{function}()", inner.ours), format!("{}.{function}()", inner.cel))
            }
            5 => {
                let inner = self.of(&list(Type::Text), depth - 1);
                Pair::new(format!("{}.join(\"-\")", inner.ours), format!("{}.join(\"-\")", inner.cel))
            }
            6 => {
                // As it is, a word would refuse every literal that is none of its words.
                let path = self.path(&Type::Enum(WORDS));
                Pair::new(format!("{}.trim()", path.ours), "")
            }
            7 => {
                let types = [BYTES, NUMBER, RATIO];
                let from = types[self.pick(3)].clone();
                let inner = self.of(&from, depth - 1);
                Pair::new(format!("string({})", inner.ours), "")
            }
            _ => {
                let groups = self.each("count_by", &Type::Text, depth);
                Pair::new(format!("{}.map(g, g.key).join(\",\")", groups.ours), "")
            }
        }
    }

    fn list(&mut self, item: &Type, depth: usize) -> Pair {
        self.makes_lists = true;
        if *item == self.item {
            return match self.pick(4) {
                0 => {
                    let name = {
                        self.names += 1;
                        format!("x{}", self.names)
                    };
                    let inner = self.of(&list(item.clone()), depth - 1);
                    self.locals.push((name.clone(), item.clone()));
                    let test = self.of(&Type::Bool, depth - 1);
                    self.locals.pop();
                    Pair::new(
                        format!("{}.filter({name}, {})", inner.ours, test.ours),
                        format!("{}.filter({name}, {})", inner.cel, test.cel),
                    )
                }
                1 => self.binary(&list(item.clone()), "+", &list(item.clone()), depth),
                _ => self.path(&list(item.clone())),
            };
        }
        let ty = list(item.clone());
        let scalars = matches!(item, Type::Int | Type::Text);
        match self.pick(if self.cel_only { 8 } else { 9 }) {
            0 => {
                let items: Vec<Pair> = (0..=self.pick(3)).map(|_| self.of(item, depth - 1)).collect();
                let join = |side: fn(&Pair) -> &str| items.iter().map(side).collect::<Vec<_>>().join(", ");
                Pair::new(format!("[{}]", join(|pair| &pair.ours)), format!("[{}]", join(|pair| &pair.cel)))
            }
            1 | 2 => self.each("map", item, depth),
            3 => {
                // Map with a test.
                let name = {
                    self.names += 1;
                    format!("x{}", self.names)
                };
                let of = self.item.clone();
                let inner = self.of(&list(of.clone()), depth - 1);
                self.locals.push((name.clone(), of));
                let (test, value) = (self.of(&Type::Bool, depth - 1), self.of(item, depth - 1));
                self.locals.pop();
                Pair::new(
                    format!("{}.map({name}, {}, {})", inner.ours, test.ours, value.ours),
                    format!("{}.map({name}, {}, {})", inner.cel, test.cel, value.cel),
                )
            }
            4 => {
                let name = {
                    self.names += 1;
                    format!("x{}", self.names)
                };
                let inner = self.of(&ty, depth - 1);
                self.locals.push((name.clone(), item.clone()));
                let test = self.of(&Type::Bool, depth - 1);
                self.locals.pop();
                Pair::new(
                    format!("{}.filter({name}, {})", inner.ours, test.ours),
                    format!("{}.filter({name}, {})", inner.cel, test.cel),
                )
            }
            5 => self.binary(&ty, "+", &ty, depth),
            6 => self.choice(&ty, depth),
            7 if scalars || !self.cel_only => {
                let inner = self.of(&ty, depth - 1);
                let function = ["sort", "distinct"][self.pick(2)];
                Pair::new(format!("{}.{function}()", inner.ours), format!("{}.{function}()", inner.cel))
            }
            8 if *item == INT => {
                let groups = self.each("count_by", &Type::Text, depth);
                Pair::new(format!("{}.map(g, g.count)", groups.ours), "")
            }
            _ => self.path(&ty),
        }
    }
}
