//! Parsers of the mount table and of the swap table.
//!
//! Pure. proc_pid_mountinfo(5), Documentation/filesystems/proc.rst section 3.5; proc_swaps(5).

/// One line of `/proc/<pid>/mountinfo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Device number of the file system; major 0 for one that has no device of its own, as btrfs.
    pub(crate) major: u32,
    pub(crate) minor: u32,
    /// Where it is mounted.
    pub(crate) point: String,
    /// File system type, as in "ext4".
    pub(crate) fstype: String,
    /// What was mounted, as the mounter said it.
    pub(crate) source: String,
    /// Options of the file system.
    pub(crate) options: String,
}

impl Mount {
    /// Paths of devices that it stands on by name: the source (several of bcachefs, "/dev/sda:/dev/sdb"), and XFS's
    /// log and realtime devices. The source of FUSE ("/dev/fuse") and of file systems on bare flash is none.
    pub(crate) fn device_paths(&self) -> Vec<&str> {
        let other = ["ubifs", "jffs2", "tmpfs", "devtmpfs", "devpts"].contains(&self.fstype.as_str());
        if other || (self.fstype.starts_with("fuse") && self.major == 0) {
            return Vec::new();
        }
        let sources =
            if self.fstype == "bcachefs" { self.source.split(':').collect() } else { vec![self.source.as_str()] };
        let extra =
            self.options.split(',').filter_map(|o| o.strip_prefix("logdev=").or_else(|| o.strip_prefix("rtdev=")));
        sources.into_iter().chain(extra).filter(|path| path.starts_with("/dev/")).collect()
    }

    /// Folders that an overlay lays over each other (Documentation/filesystems/overlayfs.rst).
    pub(crate) fn layers(&self) -> Vec<&str> {
        self.options
            .split(',')
            .filter_map(|option| option.split_once('='))
            .filter(|(name, _)| matches!(*name, "lowerdir" | "lowerdir+" | "datadir+" | "upperdir"))
            .flat_map(|(_, folders)| folders.split(':'))
            .filter(|folder| !folder.is_empty())
            .collect()
    }
}

/// All lines. A line that is not of the format makes the table unreadable: what it hides may be a mount.
pub(crate) fn parse_mountinfo(text: &str) -> Result<Vec<Mount>, String> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| mount(line).ok_or_else(|| format!("not a line of a mount table: {line:?}")))
        .collect()
}

/// `36 35 98:0 /root /mnt rw,noatime shared:1 - ext3 /dev/root rw,errors=continue`
fn mount(line: &str) -> Option<Mount> {
    let (fields, rest) = line.split_once(" - ")?;
    let mut fields = fields.split(' ');
    let (major, minor) = fields.nth(2)?.split_once(':')?;
    let point = unescape(fields.nth(1)?);
    let mut rest = rest.split(' ');
    let fstype = rest.next()?.to_owned();
    // An empty source is written as nothing between two blanks.
    let source = unescape(rest.next()?);
    let options = unescape(rest.next().unwrap_or_default());
    Some(Mount { major: major.parse().ok()?, minor: minor.parse().ok()?, point, fstype, source, options })
}

/// One line of `/proc/swaps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Swap {
    /// The device or file.
    pub(crate) path: String,
    /// A device, not a file.
    pub(crate) device: bool,
}

/// All lines below the heading. An empty text is a kernel without swap in use.
pub(crate) fn parse_swaps(text: &str) -> Result<Vec<Swap>, String> {
    text.lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("Filename"))
        .map(|line| {
            let mut fields = line.split_whitespace();
            match (fields.next(), fields.next(), fields.count()) {
                (Some(path), Some(kind), 3) => Ok(Swap { path: unescape(path), device: kind == "partition" }),
                _ => Err(format!("not a line of a swap table: {line:?}")),
            }
        })
        .collect()
}

/// Blanks, tabs, line ends and backslashes are written as three octal digits (`seq_path`, fs/seq_file.c).
pub(crate) fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        match rest {
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..] => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = tail;
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_at_the_hyphen() {
        let mounts = parse_mountinfo(
            "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 propagate_from:2 - ext3 /dev/root rw,errors=continue\n\
             79 2 8:4 / / rw,relatime - ext4 /dev/sda4 rw\n\
             80 79 0:40 / /my\\040disk rw - btrfs /dev/mapper/vg-lv rw,subvol=/a\n\
             81 79 0:41 / /t rw shared:3 - tmpfs  rw\n",
        )
        .unwrap();
        let seen: Vec<_> = mounts.iter().map(|m| (m.major, m.minor, &*m.point, &*m.fstype, &*m.source)).collect();
        assert_eq!(
            seen,
            [
                (98, 0, "/mnt2", "ext3", "/dev/root"),
                (8, 4, "/", "ext4", "/dev/sda4"),
                (0, 40, "/my disk", "btrfs", "/dev/mapper/vg-lv"),
                (0, 41, "/t", "tmpfs", ""),
            ]
        );
    }

    #[test]
    fn a_broken_line_makes_the_table_unreadable() {
        for text in ["36 35 98:0 / /mnt rw", "36 35 98 / /mnt rw - ext4 /dev/sda rw", "x", "1 2 a:b / / rw - ext4 x rw"]
        {
            assert!(parse_mountinfo(text).is_err(), "{text}");
        }
        assert_eq!(parse_mountinfo(""), Ok(vec![]));
    }

    #[test]
    fn a_file_system_may_stand_on_several_devices() {
        let one = |fstype: &str, source: &str, options: &str| Mount {
            major: 0,
            minor: 1,
            point: "/m".into(),
            fstype: fstype.into(),
            source: source.into(),
            options: options.into(),
        };
        assert_eq!(one("bcachefs", "/dev/sdc1:/dev/sdc2", "rw").device_paths(), ["/dev/sdc1", "/dev/sdc2"]);
        assert_eq!(
            one("xfs", "/dev/sdb1", "rw,logdev=/dev/nvme0n1p1,rtdev=/dev/sdd,noquota").device_paths(),
            ["/dev/sdb1", "/dev/nvme0n1p1", "/dev/sdd"]
        );
        assert!(one("nfs", "server:/export", "rw").device_paths().is_empty());
        assert!(one("overlay", "overlay", "rw,lowerdir=/dev/shm").device_paths().is_empty());
        assert!(one("fuse", "/dev/fuse", "rw").device_paths().is_empty());
        assert_eq!(
            one("overlay", "overlay", "rw,lowerdir=/a:/b,upperdir=/c,workdir=/d,redirect_dir=on").layers(),
            ["/a", "/b", "/c"]
        );
        assert_eq!(one("overlay", "composefs", "ro,lowerdir+=/x,datadir+=/y").layers(), ["/x", "/y"]);
    }

    #[test]
    fn swap_is_a_device_or_a_file() {
        let swaps = parse_swaps(
            "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n\
             /dev/dm-1                               partition\t8388604\t\t0\t\t-2\n\
             /swap\\040file                           file\t\t1048572\t0\t-3\n",
        )
        .unwrap();
        assert_eq!(
            swaps,
            [Swap { path: "/dev/dm-1".into(), device: true }, Swap { path: "/swap file".into(), device: false }]
        );
        assert_eq!(parse_swaps(""), Ok(vec![]));
        assert!(parse_swaps("/dev/sda1 partition 5").is_err());
    }

    #[test]
    fn octal_escapes_are_bytes() {
        assert_eq!(unescape("a\\040b\\134\\011"), "a b\\\t");
        assert_eq!(unescape("\\303\\244"), "ä");
        assert_eq!(unescape("\\04"), "\\04");
        assert_eq!(unescape("\\"), "\\");
        assert_eq!(unescape("\\999"), "\\999");
    }
}
