//! Netlink questions: which may be asked, and the exchange with the kernel.
//!
//! Only messages that get pass: each family has a list or a rule, and what is not known is refused. Knows the headers
//! of messages, not what stands in them, except where a command hides behind the header.

use super::{Limits, NetlinkFamily};
use rustix::io::Errno;
use rustix::net::netlink::{self, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, sockopt};
use std::os::fd::OwnedFd;
use std::time::Duration;

/// Linux `include/uapi/linux/netlink.h`.
const HEADER_BYTES: usize = 16;
const NLM_F_REQUEST: u16 = 0x01;
const NLM_F_ACK: u16 = 0x04;
const NLM_F_DUMP_INTR: u16 = 0x10;
const NLM_F_DUMP: u16 = 0x300;
const NLMSG_NOOP: u16 = 1;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLMSG_OVERRUN: u16 = 4;

/// The first message type of rtnetlink and what the two low bits of a type say, Linux `include/uapi/linux/rtnetlink.h`
/// and `rtnl_msgtype_kind` in `net/core/rtnetlink.c`: new, delete, get, set.
const RTM_BASE: u16 = 16;
const RTM_KIND_GET: u16 = 2;
/// Data Center Bridging, where the command stands in the second byte of `struct dcbmsg`, Linux
/// `include/uapi/linux/dcbnl.h`.
const RTM_GETDCB: u16 = 78;
const DCB_READS: &[u8] = &[
    1,  // GSTATE
    3,  // PGTX_GCFG
    5,  // PGRX_GCFG
    7,  // PFC_GCFG
    10, // GPERM_HWADDR
    11, // GCAP
    12, // GNUMTCS
    14, // PFC_GSTATE
    16, // BCN_GCFG
    18, // GAPP
    21, // IEEE_GET
    22, // GDCBX
    24, // GFEATCFG
    26, // CEE_GET
];

/// The controller of generic netlink, Linux `include/uapi/linux/genetlink.h`: `CTRL_CMD_GETFAMILY`.
const GENL_ID_CTRL: u16 = 0x10;
const CTRL_READS: &[u8] = &[3];
const CTRL_CMD_GETFAMILY: u8 = 3;
const CTRL_ATTR_FAMILY_ID: u16 = 1;
const CTRL_ATTR_FAMILY_NAME: u16 = 2;

/// Linux `include/uapi/linux/ethtool_netlink.h`, `ETHTOOL_MSG_*_GET`. `CABLE_TEST_ACT` and its like interrupt the link.
const ETHTOOL_READS: &[u8] = &[
    1,  // STRSET_GET
    2,  // LINKINFO_GET
    4,  // LINKMODES_GET
    6,  // LINKSTATE_GET
    7,  // DEBUG_GET
    9,  // WOL_GET
    11, // FEATURES_GET
    13, // PRIVFLAGS_GET
    15, // RINGS_GET
    17, // CHANNELS_GET
    19, // COALESCE_GET
    21, // PAUSE_GET
    23, // EEE_GET
    25, // TSINFO_GET
    28, // TUNNEL_INFO_GET
    29, // FEC_GET
    31, // MODULE_EEPROM_GET
    32, // STATS_GET
    34, // MODULE_GET
];

/// Linux `include/uapi/linux/devlink.h`. `HEALTH_REPORTER_DUMP_GET` is no such thing: it takes a dump.
const DEVLINK_READS: &[u8] = &[
    1,  // GET
    5,  // PORT_GET
    29, // ESWITCH_GET
    38, // PARAM_GET
    47, // PORT_PARAM_GET
    51, // INFO_GET
    52, // HEALTH_REPORTER_GET
];

/// The client of RDMA netlink that tells of devices, and its commands, Linux `include/uapi/rdma/rdma_netlink.h`.
const RDMA_NL_NLDEV: u16 = 5;
const RDMA_READS: &[u16] = &[
    1,  // GET
    5,  // PORT_GET
    6,  // SYS_GET
    9,  // RES_GET
    17, // STAT_GET
];

/// As often a dump is begun anew because what it tells of changed meanwhile.
const DUMPS: u32 = 3;

/// A refusal that says why.
type Refused = &'static str;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    length: usize,
    kind: u16,
    flags: u16,
    sequence: u32,
}

impl Header {
    fn parse(message: &[u8]) -> Option<Self> {
        let (length, rest) = message.split_first_chunk()?;
        let (kind, rest) = rest.split_first_chunk()?;
        let (flags, rest) = rest.split_first_chunk()?;
        let (sequence, rest) = rest.split_first_chunk()?;
        rest.first_chunk::<4>()?;
        Some(Self {
            length: u32::from_ne_bytes(*length) as usize,
            kind: u16::from_ne_bytes(*kind),
            flags: u16::from_ne_bytes(*flags),
            sequence: u32::from_ne_bytes(*sequence),
        })
    }
}

/// What must be known of a generic netlink family before a message to it can be judged.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// The message gets, nothing else.
    Gets,
    /// It does if the family with this number has this command among those that get.
    IfFamily { id: u16, command: u8 },
}

/// Whether a message only gets.
pub(crate) fn check(family: NetlinkFamily, request: &[u8]) -> Result<Check, Refused> {
    let header = Header::parse(request).ok_or("shorter than a netlink header")?;
    if header.length != request.len() {
        return Err("not exactly one netlink message");
    }
    let dump = header.flags & NLM_F_DUMP;
    let known = NLM_F_REQUEST | NLM_F_ACK | NLM_F_DUMP;
    if header.flags & NLM_F_REQUEST == 0 || header.flags & !known != 0 || !matches!(dump, 0 | NLM_F_DUMP) {
        return Err("flags other than those of a get or a dump");
    }
    let payload = request.get(HEADER_BYTES..).unwrap_or_default();
    const CHANGES: Refused = "not one of the messages that only get";
    match family {
        NetlinkFamily::Route => {
            let kind = header.kind.checked_sub(RTM_BASE).ok_or(CHANGES)? & 3;
            let is_dcb_read = || payload.get(1).is_some_and(|command| DCB_READS.contains(command));
            if kind == RTM_KIND_GET && (header.kind != RTM_GETDCB || is_dcb_read()) {
                Ok(Check::Gets)
            } else {
                Err(CHANGES)
            }
        }
        NetlinkFamily::Generic => {
            let command = *payload.first().ok_or(CHANGES)?;
            match header.kind {
                GENL_ID_CTRL if CTRL_READS.contains(&command) => Ok(Check::Gets),
                id if id > GENL_ID_CTRL => Ok(Check::IfFamily { id, command }),
                _ => Err(CHANGES),
            }
        }
        NetlinkFamily::Rdma => {
            let (client, command) = (header.kind >> 10, header.kind & 0x3ff);
            if client == RDMA_NL_NLDEV && RDMA_READS.contains(&command) { Ok(Check::Gets) } else { Err(CHANGES) }
        }
    }
}

/// Whether a command of a generic netlink family only gets.
fn check_generic(family: &str, command: u8) -> Result<(), Refused> {
    let reads = match family {
        "ethtool" => ETHTOOL_READS,
        "devlink" => DEVLINK_READS,
        _ => return Err("a generic netlink family other than ethtool and devlink"),
    };
    if reads.contains(&command) { Ok(()) } else { Err("not one of the messages that only get") }
}

/// Why an exchange has no answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// The kernel said so.
    Errno(i32),
    /// The message was not let through.
    Refused(Refused),
    /// Nothing came for so long.
    TimedOut,
    /// The answer is longer than the cap.
    TooLarge,
    /// The answer is not made of messages.
    Malformed(&'static str),
    /// What the dump tells of changed during each try.
    Interrupted,
}

impl From<Errno> for Failed {
    fn from(number: Errno) -> Self {
        if number == Errno::AGAIN { Self::TimedOut } else { Self::Errno(number.raw_os_error()) }
    }
}

/// Asks the kernel. Blocks; each message must come within `limit`.
pub(crate) fn exchange(family: NetlinkFamily, request: &[u8], limit: Duration) -> Result<Vec<Vec<u8>>, Failed> {
    let protocol = match family {
        NetlinkFamily::Route => None,
        NetlinkFamily::Generic => Some(netlink::GENERIC),
        NetlinkFamily::Rdma => Some(netlink::RDMA),
    };
    let socket = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, protocol)?;
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Recv, Some(limit))?;
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Send, Some(limit))?;
    if let Check::IfFamily { id, command } = check(family, request).map_err(Failed::Refused)? {
        let name = family_name(&ask(&socket, &get_family(id))?).ok_or(Failed::Malformed("a family without a name"))?;
        check_generic(&name, command).map_err(Failed::Refused)?;
    }
    for _ in 0..DUMPS {
        match ask(&socket, request) {
            Err(Failed::Interrupted) => {}
            outcome => return outcome,
        }
    }
    Err(Failed::Interrupted)
}

/// One request, and all messages of its answer.
fn ask(socket: &OwnedFd, request: &[u8]) -> Result<Vec<Vec<u8>>, Failed> {
    let mut request = request.to_vec();
    let header = Header::parse(&request).ok_or(Failed::Malformed("no netlink header"))?;
    if header.flags & NLM_F_DUMP == 0 {
        // With an acknowledgement at its end every answer has one.
        let flags = (header.flags | NLM_F_ACK).to_ne_bytes();
        if let Some(place) = request.get_mut(6..8) {
            place.copy_from_slice(&flags);
        }
    }
    let kernel = SocketAddrNetlink::new(0, 0);
    rustix::net::sendto(socket, &request, SendFlags::empty(), &kernel)?;
    let mut answer = Answer { sequence: header.sequence, messages: Vec::new(), bytes: 0, interrupted: false };
    loop {
        let (_, length, _) = rustix::net::recvfrom(socket, &mut [0_u8; 0][..], RecvFlags::PEEK | RecvFlags::TRUNC)?;
        if length > Limits::FILE_BYTES {
            return Err(Failed::TooLarge);
        }
        let mut datagram = vec![0; length];
        let (_, length, from) = rustix::net::recvfrom(socket, &mut datagram[..], RecvFlags::TRUNC)?;
        if length > datagram.len() {
            return Err(Failed::Malformed("a datagram that grew"));
        }
        let is_kernel =
            from.and_then(|from| SocketAddrNetlink::try_from(from).ok()).is_some_and(|from| from.pid() == 0);
        if is_kernel && answer.add(datagram.get(..length).unwrap_or_default())? {
            return if answer.interrupted { Err(Failed::Interrupted) } else { Ok(answer.messages) };
        }
    }
}

/// An answer while it comes in.
struct Answer {
    sequence: u32,
    messages: Vec<Vec<u8>>,
    bytes: usize,
    interrupted: bool,
}

impl Answer {
    /// Takes the messages of a datagram; true if the answer ended with it.
    fn add(&mut self, mut datagram: &[u8]) -> Result<bool, Failed> {
        while !datagram.is_empty() {
            let header = Header::parse(datagram).ok_or(Failed::Malformed("a message shorter than its header"))?;
            let message = datagram.get(..header.length).filter(|message| message.len() >= HEADER_BYTES);
            let message = message.ok_or(Failed::Malformed("a message of another length than its header says"))?;
            datagram = datagram.get(header.length.next_multiple_of(4)..).unwrap_or_default();
            if header.sequence != self.sequence {
                continue;
            }
            self.interrupted |= header.flags & NLM_F_DUMP_INTR != 0;
            let number = message.get(HEADER_BYTES..).and_then(|payload| payload.first_chunk().copied());
            let number = number.map(i32::from_ne_bytes);
            match header.kind {
                NLMSG_NOOP => {}
                NLMSG_OVERRUN => return Err(Failed::Malformed("the kernel lost a part of it")),
                NLMSG_ERROR => match number.ok_or(Failed::Malformed("an error without a number"))? {
                    0 => return Ok(true),
                    number => return Err(Failed::Errno(number.saturating_neg())),
                },
                // A dump that failed on its way says so at its end.
                NLMSG_DONE => match number {
                    Some(number) if number < 0 => return Err(Failed::Errno(number.saturating_neg())),
                    _ => return Ok(true),
                },
                _ => {
                    self.bytes += message.len();
                    if self.bytes > Limits::FILE_BYTES {
                        return Err(Failed::TooLarge);
                    }
                    self.messages.push(message.to_vec());
                }
            }
        }
        Ok(false)
    }
}

/// `CTRL_CMD_GETFAMILY` by number.
fn get_family(id: u16) -> Vec<u8> {
    let mut message = Vec::new();
    message.extend(28_u32.to_ne_bytes());
    message.extend(GENL_ID_CTRL.to_ne_bytes());
    message.extend((NLM_F_REQUEST | NLM_F_ACK).to_ne_bytes());
    message.extend([0; 8]);
    message.extend([CTRL_CMD_GETFAMILY, 1, 0, 0]);
    message.extend(6_u16.to_ne_bytes());
    message.extend(CTRL_ATTR_FAMILY_ID.to_ne_bytes());
    message.extend(id.to_ne_bytes());
    message.extend([0; 2]);
    message
}

/// The name in an answer to [`get_family`].
fn family_name(messages: &[Vec<u8>]) -> Option<String> {
    let mut attributes = messages.first()?.get(HEADER_BYTES + 4..)?;
    loop {
        let (length, rest) = attributes.split_first_chunk()?;
        let (kind, _) = rest.split_first_chunk()?;
        let length = usize::from(u16::from_ne_bytes(*length));
        if u16::from_ne_bytes(*kind) == CTRL_ATTR_FAMILY_NAME {
            let name = attributes.get(4..length)?.strip_suffix(b"\0")?;
            return String::from_utf8(name.to_vec()).ok();
        }
        // An attribute is as long as its header at least, or this would not end.
        attributes = attributes.get(length.max(4).next_multiple_of(4)..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u16, flags: u16, payload: &[u8]) -> Vec<u8> {
        let length = (HEADER_BYTES + payload.len()) as u32;
        [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), &flags.to_ne_bytes(), &7_u32.to_ne_bytes(), &[0; 4], payload]
            .concat()
    }

    const NLM_F_MULTI: u16 = 0x02;
    const GET: u16 = 1;
    const DUMP: u16 = 0x301;

    #[test]
    fn rtnetlink_gets_pass_and_nothing_else() {
        let passes = |kind: u16| check(NetlinkFamily::Route, &message(kind, DUMP, &[0; 16])) == Ok(Check::Gets);
        // GETLINK, GETADDR, GETROUTE, GETNEIGH, GETQDISC
        for kind in [18, 22, 26, 30, 38] {
            assert!(passes(kind), "{kind}");
        }
        // NEWLINK, DELLINK, SETLINK, NEWADDR, DELADDR, NEWROUTE, SETDCB, and below the first type
        for kind in [16, 17, 19, 20, 21, 24, 79, 2, 14, 0] {
            assert!(!passes(kind), "{kind}");
        }
    }

    #[test]
    fn the_command_in_a_dcb_message_counts() {
        let passes = |command: u8| {
            check(NetlinkFamily::Route, &message(RTM_GETDCB, GET, &[0, command, 0, 0])) == Ok(Check::Gets)
        };
        for command in [1, 3, 5, 7, 10, 11, 12, 14, 16, 18, 21, 22, 24, 26] {
            assert!(passes(command), "{command}");
        }
        for command in [0, 2, 4, 6, 8, 9, 13, 15, 17, 19, 20, 23, 25, 27, 28, 255] {
            assert!(!passes(command), "{command}");
        }
        assert!(check(NetlinkFamily::Route, &message(RTM_GETDCB, GET, &[])).is_err());
    }

    #[test]
    fn flags_and_lengths_that_a_get_does_not_have_are_refused() {
        let check = |message: &[u8]| check(NetlinkFamily::Route, message).is_ok();
        assert!(check(&message(18, GET, &[0; 16])));
        assert!(check(&message(18, GET | NLM_F_ACK, &[0; 16])));
        // no request; echo; half a dump; NLM_F_CREATE, which is NLM_F_ATOMIC of a get; NLM_F_APPEND
        for flags in [0, 0x300, 1 | 8, 0x101, 0x201, 0x401, 0x801] {
            assert!(!check(&message(18, flags, &[0; 16])), "{flags:x}");
        }
        let get = message(18, GET, &[0; 16]);
        assert!(!check(&get[..15]) && !check(&get[..31]) && !check(&[]));
        // a second message behind the first
        assert!(!check(&[get, message(19, GET, &[0; 16])].concat()));
    }

    #[test]
    fn generic_netlink_is_judged_by_the_family_it_goes_to() {
        let check = |kind: u16, payload: &[u8]| super::check(NetlinkFamily::Generic, &message(kind, GET, payload));
        assert_eq!(check(0x10, &[3, 1, 0, 0]), Ok(Check::Gets));
        assert!(check(0x10, &[1, 1, 0, 0]).is_err(), "CTRL_CMD_NEWFAMILY");
        assert_eq!(check(0x15, &[4, 1, 0, 0]), Ok(Check::IfFamily { id: 0x15, command: 4 }));
        assert!(check(0x15, &[]).is_err());
        assert!(check(0x0f, &[3]).is_err());
        // LINKMODES_GET and _SET, CABLE_TEST_ACT; devlink GET, RELOAD, HEALTH_REPORTER_DUMP_GET, FLASH_UPDATE
        for (family, command, passes) in [
            ("ethtool", 4, true),
            ("ethtool", 5, false),
            ("ethtool", 26, false),
            ("devlink", 1, true),
            ("devlink", 51, true),
            ("devlink", 37, false),
            ("devlink", 56, false),
            ("devlink", 58, false),
            ("nl80211", 1, false),
        ] {
            assert_eq!(check_generic(family, command).is_ok(), passes, "{family} {command}");
        }
    }

    #[test]
    fn rdma_netlink_gets_of_the_device_client_pass() {
        let passes = |client: u16, command: u16| {
            check(NetlinkFamily::Rdma, &message(client << 10 | command, GET, &[])) == Ok(Check::Gets)
        };
        assert!(passes(5, 1) && passes(5, 5) && passes(5, 6) && passes(5, 9) && passes(5, 17));
        // SET, NEWLINK, DELLINK, SYS_SET, STAT_SET, STAT_DEL; another client
        for command in [2, 3, 4, 7, 16, 18] {
            assert!(!passes(5, command), "{command}");
        }
        assert!(!passes(4, 1));
    }

    #[test]
    fn an_answer_ends_with_done_or_an_acknowledgement() {
        let answer = || Answer { sequence: 7, messages: Vec::new(), bytes: 0, interrupted: false };
        let data = message(16, NLM_F_MULTI, &[1, 2, 3, 4, 5]);
        let mut datagram = data.clone();
        datagram.extend([0; 3]);
        datagram.extend(&data);

        let mut dump = answer();
        assert_eq!(dump.add(&datagram), Ok(false));
        assert_eq!(dump.add(&message(NLMSG_DONE, NLM_F_MULTI, &[0; 4])), Ok(true));
        assert_eq!(dump.messages, [data.clone(), data.clone()]);

        assert_eq!(answer().add(&message(NLMSG_ERROR, 0, &[0; 20])), Ok(true));
        let refused = [&(-95_i32).to_ne_bytes()[..], &[0; 16]].concat();
        assert_eq!(answer().add(&message(NLMSG_ERROR, 0, &refused)), Err(Failed::Errno(95)));
        assert_eq!(answer().add(&message(NLMSG_DONE, 0, &(-12_i32).to_ne_bytes())), Err(Failed::Errno(12)));

        let mut interrupted = answer();
        assert_eq!(interrupted.add(&message(NLMSG_DONE, NLM_F_DUMP_INTR, &[0; 4])), Ok(true));
        assert!(interrupted.interrupted);

        let mut other = Answer { sequence: 8, ..answer() };
        assert_eq!(other.add(&data), Ok(false));
        assert!(other.messages.is_empty());
        for damaged in [&data[..10], &data[..18], &[0; 16]] {
            assert!(matches!(answer().add(damaged), Err(Failed::Malformed(_))), "{damaged:?}");
        }
    }

    #[test]
    fn a_family_is_named_by_its_attribute() {
        let attributes = [
            &6_u16.to_ne_bytes()[..],
            &CTRL_ATTR_FAMILY_ID.to_ne_bytes(),
            &[0x15, 0, 0, 0],
            &12_u16.to_ne_bytes(),
            &CTRL_ATTR_FAMILY_NAME.to_ne_bytes(),
            b"ethtool\0",
        ]
        .concat();
        let named = |attributes: &[u8]| family_name(&[message(0x10, 0, &[&[1, 2, 0, 0], attributes].concat())]);
        assert_eq!(named(&attributes), Some("ethtool".to_owned()));
        assert_eq!(named(&attributes[..10]), None);
        assert_eq!(named(&[0; 12]), None);
        assert_eq!(family_name(&[]), None);
    }
}
