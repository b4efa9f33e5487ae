//! A tree of files that stands for a machine's, and the one resolver of paths in it.
//!
//! Links are followed inside the tree only: an absolute target starts at the tree's root, and whatever climbs above
//! that root is refused, not clipped, for it would be answered by something that is no part of the recording.
//! Knows no manifest and no kind of archive; [`super::disk`] is the other tree that this resolver walks.

use super::{HostErrorKind, Limits};
use std::collections::BTreeMap;
use std::sync::Arc;

/// As many links as Linux follows in one path (`MAXSYMLINKS`, `include/linux/namei.h`).
const LINKS: u32 = 40;

/// Why a tree does not answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Nothing stands there.
    Missing,
    /// A file stands where a folder was needed.
    NotAFolder,
    /// A folder stands where a file was needed.
    IsAFolder,
    /// A path that is no link.
    NotALink,
    /// A device, pipe or socket, or a file of which the tree knows only that it is there.
    NoContent,
    /// More links than the kernel would follow.
    Loop,
    /// A link or `..` leads above the root.
    Leaves,
    /// Larger than the cap or more names than [`Limits::NAMES`].
    TooLarge,
    /// The tree itself could not be read.
    Failed(HostErrorKind, String),
}

/// What stands under a name.
pub(crate) enum Child<D, F> {
    Folder(D),
    File(F),
    Link(String),
    Other,
}

/// Folders by handle, one name at a time: `..` and links are the resolver's, never the tree's.
pub(crate) trait Tree {
    type Folder<'t>
    where
        Self: 't;
    type File<'t>
    where
        Self: 't;

    fn root(&self) -> Result<Self::Folder<'_>, Trouble>;
    #[expect(clippy::type_complexity, reason = "a named type would need both parameters again")]
    fn child<'t>(
        &'t self,
        folder: &Self::Folder<'t>,
        name: &str,
    ) -> Result<Option<Child<Self::Folder<'t>, Self::File<'t>>>, Trouble>;
    /// Unsorted, without `.` and `..`.
    fn names<'t>(&'t self, folder: &Self::Folder<'t>) -> Result<Vec<String>, Trouble>;
    /// Longer than `cap` bytes is [`Trouble::TooLarge`].
    fn content<'t>(&'t self, file: &Self::File<'t>, cap: usize) -> Result<Vec<u8>, Trouble>;
}

/// Where a path ends. A link only if the last one was not to be followed.
type Place<'t, T> = Child<<T as Tree>::Folder<'t>, <T as Tree>::File<'t>>;

fn resolve<'t, T: Tree>(tree: &'t T, path: &str, follow_last: bool) -> Result<Place<'t, T>, Trouble> {
    let mut above: Vec<T::Folder<'t>> = Vec::new();
    let mut here = tree.root()?;
    let mut links = 0;
    let mut todo: Vec<String> = path.rsplit('/').map(str::to_owned).collect();
    while let Some(name) = todo.pop() {
        match name.as_str() {
            "" | "." => continue,
            ".." => {
                here = above.pop().ok_or(Trouble::Leaves)?;
                continue;
            }
            _ => {}
        }
        // A slash at the end means that the last link is followed, as for the kernel (path_resolution(7)).
        let last = todo.is_empty();
        match tree.child(&here, &name)?.ok_or(Trouble::Missing)? {
            Child::Folder(folder) => above.push(std::mem::replace(&mut here, folder)),
            Child::Link(target) if last && !follow_last => return Ok(Child::Link(target)),
            Child::Link(target) => {
                links += 1;
                if links > LINKS {
                    return Err(Trouble::Loop);
                }
                if target.is_empty() {
                    return Err(Trouble::Missing);
                }
                if target.starts_with('/') {
                    above.clear();
                    here = tree.root()?;
                }
                todo.extend(target.rsplit('/').map(str::to_owned));
            }
            Child::File(_) | Child::Other if !last => return Err(Trouble::NotAFolder),
            place @ (Child::File(_) | Child::Other) => return Ok(place),
        }
    }
    Ok(Child::Folder(here))
}

/// The content of a file.
pub(crate) fn read<T: Tree>(tree: &T, path: &str, cap: usize) -> Result<Vec<u8>, Trouble> {
    match resolve(tree, path, true)? {
        Child::File(file) => tree.content(&file, cap),
        Child::Folder(_) => Err(Trouble::IsAFolder),
        Child::Link(_) | Child::Other => Err(Trouble::NoContent),
    }
}

/// The names in a folder, sorted.
pub(crate) fn list<T: Tree>(tree: &T, path: &str) -> Result<Vec<String>, Trouble> {
    match resolve(tree, path, true)? {
        Child::Folder(folder) => {
            let mut names = tree.names(&folder)?;
            if names.len() > Limits::NAMES {
                return Err(Trouble::TooLarge);
            }
            names.sort_unstable();
            Ok(names)
        }
        Child::File(_) | Child::Link(_) | Child::Other => Err(Trouble::NotAFolder),
    }
}

/// The target of a link, as written.
pub(crate) fn read_link<T: Tree>(tree: &T, path: &str) -> Result<String, Trouble> {
    match resolve(tree, path, false)? {
        Child::Link(target) => Ok(target),
        Child::Folder(_) | Child::File(_) | Child::Other => Err(Trouble::NotALink),
    }
}

/// Something that stands in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file with its content.
    File(Vec<u8>),
    /// A symbolic link with its target as written.
    Link(String),
    /// A folder; those above an entry need not be named.
    Dir,
}

impl Entry {
    /// A file with its content.
    #[must_use]
    pub fn file(content: impl AsRef<[u8]>) -> Self {
        Self::File(content.as_ref().to_vec())
    }

    /// A symbolic link.
    #[must_use]
    pub fn link(target: impl Into<String>) -> Self {
        Self::Link(target.into())
    }
}

/// What stands in a [`MemoryTree`].
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Folder(Names),
    File(Arc<[u8]>),
    /// A file over the cap, whose content was not kept.
    LargeFile,
    Link(String),
    /// A device, pipe, socket, or a file that the archive stores in a way that is not understood.
    Other,
}

pub(crate) type Names = BTreeMap<Box<str>, Node>;

/// A tree in memory, as from an archive.
#[derive(Debug, Default)]
pub(crate) struct MemoryTree {
    root: Names,
}

/// Why an entry could not be put into a [`MemoryTree`]; the entry comes back.
#[derive(Debug)]
pub(crate) enum Clash {
    /// A link stands above it.
    UnderLink(Node),
    /// A file stands above it, or a folder with content stands in its place.
    Taken,
}

impl MemoryTree {
    /// Puts a node at a path of plain names; a later file replaces an earlier one, as in an archive that was
    /// appended to.
    pub(crate) fn insert(&mut self, path: &[&str], node: Node) -> Result<(), Clash> {
        let Some((last, parents)) = path.split_last() else { return Ok(()) };
        let mut names = &mut self.root;
        for parent in parents {
            let entry = names.entry((*parent).into()).or_insert_with(|| Node::Folder(Names::new()));
            match entry {
                Node::Folder(inner) => names = inner,
                Node::Link(_) => return Err(Clash::UnderLink(node)),
                Node::File(_) | Node::LargeFile | Node::Other => return Err(Clash::Taken),
            }
        }
        match (names.get(*last), &node) {
            (Some(Node::Folder(_)), Node::Folder(_)) => Ok(()),
            (Some(Node::Folder(inner)), _) if !inner.is_empty() => Err(Clash::Taken),
            _ => {
                names.insert((*last).into(), node);
                Ok(())
            }
        }
    }

    /// Puts a node where its path leads if the links above it are followed inside the tree.
    pub(crate) fn insert_through_links(&mut self, path: &[&str], node: Node) -> Result<(), Clash> {
        let place = self.place(path).ok_or(Clash::Taken)?;
        self.insert(&place.iter().map(String::as_str).collect::<Vec<_>>(), node)
    }

    /// The path of plain names to which a path leads if the links above its last name are followed.
    fn place(&self, path: &[&str]) -> Option<Vec<String>> {
        let mut done: Vec<String> = Vec::new();
        let mut links = 0;
        let mut todo: Vec<String> = path.iter().rev().map(|name| (*name).to_owned()).collect();
        while let Some(name) = todo.pop() {
            match name.as_str() {
                "" | "." => continue,
                ".." => {
                    done.pop()?;
                    continue;
                }
                _ => done.push(name),
            }
            if todo.is_empty() {
                break;
            }
            let plain: Vec<&str> = done.iter().map(String::as_str).collect();
            if let Some(Node::Link(target)) = self.node(&plain) {
                links += 1;
                if links > LINKS {
                    return None;
                }
                done.pop();
                if target.starts_with('/') {
                    done.clear();
                }
                todo.extend(target.rsplit('/').map(str::to_owned));
            }
        }
        Some(done)
    }

    /// What stands at a path of plain names.
    pub(crate) fn node(&self, path: &[&str]) -> Option<&Node> {
        let (last, parents) = path.split_last()?;
        let mut names = &self.root;
        for parent in parents {
            let Some(Node::Folder(inner)) = names.get(*parent) else { return None };
            names = inner;
        }
        names.get(*last)
    }

    /// The names at the root.
    pub(crate) fn root_names(&self) -> Vec<String> {
        self.root.keys().map(|name| String::from(&**name)).collect()
    }

    /// The names in a folder of the root; none if it is a link or a file.
    pub(crate) fn names_below(&self, name: &str) -> Vec<String> {
        match self.root.get(name) {
            Some(Node::Folder(names)) => names.keys().map(|name| String::from(&**name)).collect(),
            _ => Vec::new(),
        }
    }

    /// The same tree from a folder of its root on.
    pub(crate) fn into_folder(mut self, name: &str) -> Self {
        match self.root.remove(name) {
            Some(Node::Folder(root)) => Self { root },
            _ => Self::default(),
        }
    }
}

impl Tree for MemoryTree {
    type Folder<'t> = &'t Names;
    type File<'t> = &'t Node;

    fn root(&self) -> Result<&Names, Trouble> {
        Ok(&self.root)
    }

    fn child<'t>(
        &'t self,
        folder: &Self::Folder<'t>,
        name: &str,
    ) -> Result<Option<Child<Self::Folder<'t>, Self::File<'t>>>, Trouble> {
        Ok(folder.get(name).map(|node| match node {
            Node::Folder(names) => Child::Folder(names),
            Node::File(_) | Node::LargeFile => Child::File(node),
            Node::Link(target) => Child::Link(target.clone()),
            Node::Other => Child::Other,
        }))
    }

    fn names<'t>(&'t self, folder: &Self::Folder<'t>) -> Result<Vec<String>, Trouble> {
        Ok(folder.keys().map(|name| String::from(&**name)).collect())
    }

    fn content<'t>(&'t self, file: &Self::File<'t>, cap: usize) -> Result<Vec<u8>, Trouble> {
        match file {
            Node::File(content) if content.len() > cap => Err(Trouble::TooLarge),
            Node::File(content) => Ok(content.to_vec()),
            Node::LargeFile => Err(Trouble::TooLarge),
            Node::Folder(_) | Node::Link(_) | Node::Other => Err(Trouble::NoContent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tree: &MemoryTree, path: &str) -> Result<Vec<u8>, Trouble> {
        super::read(tree, path, 10)
    }

    fn tree(entries: &[(&str, Node)]) -> MemoryTree {
        let mut tree = MemoryTree::default();
        for (path, node) in entries {
            tree.insert(&path.split('/').collect::<Vec<_>>(), node.clone()).unwrap();
        }
        tree
    }

    fn file(content: &str) -> Node {
        Node::File(content.as_bytes().into())
    }

    fn link(target: &str) -> Node {
        Node::Link(target.to_owned())
    }

    #[test]
    fn relative_and_absolute_links_stay_inside() {
        let tree = tree(&[
            ("sys/block/sda", link("../devices/sda")),
            ("sys/devices/sda/size", file("8\n")),
            ("sys/devices/sda/subsystem", link("/sys/block")),
        ]);
        assert_eq!(read(&tree, "/sys/block/sda/size"), Ok(b"8\n".to_vec()));
        assert_eq!(list(&tree, "/sys/block/sda/subsystem"), Ok(vec!["sda".to_owned()]));
        assert_eq!(read(&tree, "/sys/block/sda/subsystem/sda/size"), Ok(b"8\n".to_vec()));
        assert_eq!(read_link(&tree, "/sys/block/sda"), Ok("../devices/sda".to_owned()));
        // `..` after a link is the parent of where the link leads
        assert_eq!(list(&tree, "/sys/block/sda/.."), Ok(vec!["sda".to_owned()]));
        assert_eq!(list(&tree, "//sys/./block/"), Ok(vec!["sda".to_owned()]));
    }

    #[test]
    fn what_climbs_above_the_root_is_refused() {
        let tree = tree(&[
            ("sys/out", link("../../etc/passwd")),
            ("sys/edge", link("../etc/passwd")),
            ("etc/passwd", file("root\n")),
        ]);
        assert_eq!(read(&tree, "/sys/out"), Err(Trouble::Leaves));
        assert_eq!(read(&tree, "/../etc/passwd"), Err(Trouble::Leaves));
        assert_eq!(read(&tree, "/sys/edge"), Ok(b"root\n".to_vec()));
        assert_eq!(read_link(&tree, "/sys/out"), Ok("../../etc/passwd".to_owned()));
    }

    #[test]
    fn loops_end() {
        let mut entries = vec![("a/self", link("self")), ("a/x", link("y")), ("a/y", link("/a/x"))];
        let names: Vec<String> = (0..=41).map(|n| format!("b/{n}")).collect();
        for (n, name) in names.iter().enumerate().skip(1) {
            entries.push((name, link(&(n - 1).to_string())));
        }
        entries.push(("b/0", file("end")));
        let tree = tree(&entries);
        assert_eq!(read(&tree, "/a/self"), Err(Trouble::Loop));
        assert_eq!(read(&tree, "/a/x/more"), Err(Trouble::Loop));
        assert_eq!(read(&tree, "/b/40"), Ok(b"end".to_vec()));
        assert_eq!(read(&tree, "/b/41"), Err(Trouble::Loop));
    }

    #[test]
    fn each_wrong_kind_of_thing_has_its_trouble() {
        let tree = tree(&[
            ("sys/file", file("x")),
            ("sys/dangling", link("nowhere")),
            ("sys/empty", link("")),
            ("sys/pipe", Node::Other),
            ("sys/large", Node::LargeFile),
        ]);
        assert_eq!(read(&tree, "/sys"), Err(Trouble::IsAFolder));
        assert_eq!(read(&tree, "/"), Err(Trouble::IsAFolder));
        assert_eq!(read(&tree, "/sys/file/more"), Err(Trouble::NotAFolder));
        assert_eq!(list(&tree, "/sys/file"), Err(Trouble::NotAFolder));
        assert_eq!(read(&tree, "/sys/none"), Err(Trouble::Missing));
        assert_eq!(read(&tree, "/sys/dangling"), Err(Trouble::Missing));
        assert_eq!(read(&tree, "/sys/empty"), Err(Trouble::Missing));
        assert_eq!(read(&tree, "/sys/pipe"), Err(Trouble::NoContent));
        assert_eq!(read(&tree, "/sys/large"), Err(Trouble::TooLarge));
        assert_eq!(read_link(&tree, "/sys/file"), Err(Trouble::NotALink));
        assert_eq!(read_link(&tree, "/sys/none"), Err(Trouble::Missing));
    }

    #[test]
    fn an_entry_below_a_link_goes_where_the_link_leads() {
        let mut tree = tree(&[("sys/block/sda", link("../devices/sda")), ("sys/bad", link("../../x"))]);
        let path = ["sys", "block", "sda", "size"];
        let Err(Clash::UnderLink(node)) = tree.insert(&path, file("8\n")) else { panic!("no clash") };
        tree.insert_through_links(&path, node).unwrap();
        assert_eq!(read(&tree, "/sys/devices/sda/size"), Ok(b"8\n".to_vec()));
        assert_eq!(read(&tree, "/sys/block/sda/size"), Ok(b"8\n".to_vec()));
        assert!(tree.insert_through_links(&["sys", "bad", "y"], file("")).is_err());
    }
}
