//! What an RDMA port counted of losses and congestion, and how its RoCE packets are marked.
//!
//! `hw_counters` (Linux `drivers/infiniband/core/sysfs.c`), and files of NVIDIA's own drivers that a kernel without them does not have. Nothing is made
//! in configfs: a device of which nobody made the folder there has no defaults of its own. Knows no limits.

use super::super::ledger::{Ledger, Missing, Read};
use super::super::nic::attribute::{optional, text};
use super::super::nic::parse::{flag, number};
use crate::inventory::rdma::{RdmaHwCounters, RdmaLinkLayer, RdmaPort, RdmaRoce};
use crate::reading::Reading;

const CLASS: &str = "/sys/class/infiniband";
const CONFIG: &str = "/sys/kernel/config/rdma_cm";
/// Priorities of Ethernet.
const PRIORITIES: std::ops::Range<u64> = 0..8;

/// Reads the counters of a folder, which each driver fills with its own names.
pub(super) fn hw_counters(ledger: &Ledger<'_>, folder: &str) -> RdmaHwCounters {
    let listing = ledger.list(folder, Missing::Absent);
    let counter = |names: &[&str]| {
        let found = match &listing.reading {
            Reading::Known(listing) => {
                let found = names.iter().find(|name| listing.names.iter().any(|other| other == *name));
                match found {
                    Some(name) => *name,
                    None if listing.complete => {
                        return Read { reading: Reading::Absent, source: listing_source(ledger, folder) };
                    }
                    None => return unread(ledger, folder),
                }
            }
            Reading::Absent => return Read { reading: Reading::Absent, source: listing_source(ledger, folder) },
            Reading::Unreadable(error) => {
                return Read { reading: Reading::Unreadable(*error), source: listing_source(ledger, folder) };
            }
        };
        optional(ledger, &format!("{folder}/{found}"), |text| number(text).map(Some))
    };
    let mut counters = RdmaHwCounters::default();
    set!(counters.out_of_sequence, counter(&["out_of_sequence", "oos_drop_count"]));
    set!(counters.packet_seq_err, counter(&["packet_seq_err", "seq_err_naks_rcvd"]));
    set!(counters.local_ack_timeout_err, counter(&["local_ack_timeout_err", "to_retransmits"]));
    set!(counters.implied_nak_seq_err, counter(&["implied_nak_seq_err"]));
    set!(counters.rnr_nak_retry_err, counter(&["rnr_nak_retry_err"]));
    set!(counters.roce_adp_retrans, counter(&["roce_adp_retrans"]));
    set!(counters.roce_adp_retrans_to, counter(&["roce_adp_retrans_to"]));
    set!(counters.out_of_buffer, counter(&["out_of_buffer"]));
    set!(counters.duplicate_request, counter(&["duplicate_request", "dup_req"]));
    set!(counters.rx_icrc_encapsulated, counter(&["rx_icrc_encapsulated"]));
    set!(counters.np_cnp_sent, counter(&["np_cnp_sent", "tx_cnp_pkts", "cnpSent"]));
    set!(counters.rp_cnp_handled, counter(&["rp_cnp_handled", "rx_cnp_pkts", "cnpHandled"]));
    set!(
        counters.np_ecn_marked_roce_packets,
        counter(&["np_ecn_marked_roce_packets", "rx_ecn_marked_pkts", "RxECNMrkd"])
    );
    counters
}

fn listing_source(ledger: &Ledger<'_>, folder: &str) -> crate::reading::SourceId {
    ledger.source(format!("list {folder}"))
}

fn unread<T>(ledger: &Ledger<'_>, folder: &str) -> Read<T> {
    Read { reading: Reading::Unreadable(ledger.incomplete(folder)), source: listing_source(ledger, folder) }
}

/// Reads what RoCE packets carry. The port's layer and interface must be set.
pub(super) fn roce(ledger: &Ledger<'_>, device: &str, number: u64, port: &RdmaPort) -> RdmaRoce {
    let mut roce = RdmaRoce::default();
    let other = match &port.link_layer {
        Reading::Known(RdmaLinkLayer::Ethernet) => None,
        Reading::Known(RdmaLinkLayer::Infiniband) | Reading::Absent => Some(Reading::Absent),
        Reading::Unreadable(error) => Some(Reading::Unreadable(*error)),
    };
    if let Some(other) = other {
        let source = port
            .sources
            .get("link_layer")
            .unwrap_or_else(|| ledger.source(format!("{CLASS}/{device}/ports/{number}/link_layer")));
        set!(roce.traffic_class, Read { reading: alike(&other), source });
        set!(roce.default_mode, Read { reading: alike(&other), source });
        set!(roce.default_tos, Read { reading: alike(&other), source });
        set!(roce.notification_priorities, Read { reading: alike(&other), source });
        set!(roce.reaction_priorities, Read { reading: alike(&other), source });
        return roce;
    }
    set!(roce.traffic_class, optional(ledger, &format!("{CLASS}/{device}/tc/{number}/traffic_class"), text));
    let config = format!("{CONFIG}/{device}/ports/{number}");
    set!(roce.default_mode, optional(ledger, &format!("{config}/default_roce_mode"), text));
    set!(
        roce.default_tos,
        optional(ledger, &format!("{config}/default_roce_tos"), |text| super::super::nic::parse::number(text)
            .map(Some))
    );
    set!(roce.notification_priorities, priorities(ledger, port, "roce_np"));
    set!(roce.reaction_priorities, priorities(ledger, port, "roce_rp"));
    roce
}

fn alike<T>(other: &Reading<()>) -> Reading<T> {
    match other {
        Reading::Known(()) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    }
}

/// Priorities for which a point of congestion control is on: one file each, all of them or none.
fn priorities(ledger: &Ledger<'_>, port: &RdmaPort, point: &str) -> Read<Vec<u64>> {
    let interface = match &port.netdev {
        Reading::Known(interface) => interface,
        Reading::Absent | Reading::Unreadable(_) => {
            let source = port.sources.get("netdev").unwrap_or_else(|| ledger.source("derived: interface of the port"));
            return Read { reading: alike(&port.netdev.clone().map(|_| ())), source };
        }
    };
    let folder = format!("/sys/class/net/{interface}/ecn/{point}/enable");
    let source = ledger.source(format!("{folder}/*"));
    let mut on = Vec::new();
    for priority in PRIORITIES {
        match ledger.value(&format!("{folder}/{priority}"), Missing::Absent, flag) {
            Reading::Known(true) => on.push(priority),
            Reading::Known(false) => {}
            // The folder is there for all priorities, or not at all.
            Reading::Absent => return Read { reading: Reading::Absent, source },
            Reading::Unreadable(error) => return Read { reading: Reading::Unreadable(error), source },
        }
    }
    Read { reading: Reading::Known(on), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Entry, HostErrorKind, Question, Replay};
    use crate::reading::{ErrorKind, ReadError};

    const PORT: &str = "/sys/class/infiniband/mlx5_0/ports/1";

    fn file(path: &str, content: &str) -> (String, Entry) {
        (path.to_owned(), Entry::file(format!("{content}\n")))
    }

    fn counted(host: &Replay) -> (RdmaHwCounters, Vec<String>, Vec<ReadError>) {
        let ledger = Ledger::new(host);
        let counters = hw_counters(&ledger, &format!("{PORT}/hw_counters"));
        let (sources, errors) = ledger.close();
        (counters, sources, errors)
    }

    /// An Ethernet port, told by its interface.
    fn port(layer: Reading<RdmaLinkLayer>) -> RdmaPort {
        RdmaPort { link_layer: layer, netdev: Reading::Known("ens1".to_owned()), ..RdmaPort::default() }
    }

    fn asked(host: &Replay, port: &RdmaPort) -> (RdmaRoce, Vec<ReadError>) {
        let ledger = Ledger::new(host);
        let told = roce(&ledger, "mlx5_0", 1, port);
        (told, ledger.close().1)
    }

    #[test]
    fn counters_go_by_the_names_of_their_driver() {
        let tree = |names: &[&str]| {
            Replay::complete(
                names.iter().map(|name| file(&format!("{PORT}/hw_counters/{name}"), "7")).collect::<Vec<_>>(),
            )
        };
        let (mlx5, sources, _) = counted(&tree(&["out_of_sequence", "np_cnp_sent", "lifespan"]));
        assert_eq!((&mlx5.out_of_sequence, &mlx5.np_cnp_sent), (&Reading::Known(7), &Reading::Known(7)));
        assert_eq!((&mlx5.packet_seq_err, &mlx5.rp_cnp_handled), (&Reading::Absent, &Reading::Absent));
        let source = mlx5.sources.get("out_of_sequence").unwrap();
        assert_eq!(sources[source.0 as usize], format!("{PORT}/hw_counters/out_of_sequence"));
        let (bnxt, ..) =
            counted(&tree(&["oos_drop_count", "seq_err_naks_rcvd", "to_retransmits", "rx_cnp_pkts", "dup_req"]));
        assert_eq!((&bnxt.out_of_sequence, &bnxt.packet_seq_err), (&Reading::Known(7), &Reading::Known(7)));
        assert_eq!((&bnxt.local_ack_timeout_err, &bnxt.rp_cnp_handled), (&Reading::Known(7), &Reading::Known(7)));
        assert_eq!(bnxt.duplicate_request, Reading::Known(7));
        let (irdma, ..) = counted(&tree(&["cnpSent", "cnpHandled", "RxECNMrkd"]));
        assert_eq!((&irdma.np_cnp_sent, &irdma.rp_cnp_handled), (&Reading::Known(7), &Reading::Known(7)));
        assert_eq!(irdma.np_ecn_marked_roce_packets, Reading::Known(7));
        let (none, ..) = counted(&tree(&[]));
        assert_eq!((&none.out_of_sequence, &none.out_of_buffer), (&Reading::Absent, &Reading::Absent));
    }

    #[test]
    fn counters_that_cannot_be_read_are_not_none() {
        let path = format!("{PORT}/hw_counters/packet_seq_err");
        let host = Replay::complete(vec![file(&path, "many")]);
        let (counters, _, errors) = counted(&host);
        let Reading::Unreadable(error) = counters.packet_seq_err else { panic!("it was told") };
        assert_eq!(errors[error.0 as usize].kind, ErrorKind::Malformed);
        let host = Replay::complete(Vec::<(String, Entry)>::new())
            .with(Question::List(format!("{PORT}/hw_counters")), Err(HostErrorKind::PermissionDenied));
        assert!(matches!(counted(&host).0.out_of_sequence, Reading::Unreadable(_)));
        // A tree that somebody copied may hold only some of them.
        let host = Replay::from_entries([(format!("{PORT}/hw_counters/packet_seq_err"), Entry::file("3\n"))]);
        let (counters, _, errors) = counted(&host);
        assert_eq!(counters.packet_seq_err, Reading::Known(3));
        let Reading::Unreadable(error) = counters.out_of_sequence else { panic!("it was told") };
        assert_eq!(errors[error.0 as usize].kind, ErrorKind::NotInCapture);
    }

    #[test]
    fn marks_and_points_are_read_where_they_are() {
        let mut tree = vec![
            file("/sys/class/infiniband/mlx5_0/tc/1/traffic_class", "Global tclass=106"),
            file("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode", "RoCE v2"),
            file("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos", "106"),
        ];
        for priority in 0..8 {
            tree.push(file(
                &format!("/sys/class/net/ens1/ecn/roce_np/enable/{priority}"),
                if priority == 3 { "1" } else { "0" },
            ));
        }
        let ethernet = port(Reading::Known(RdmaLinkLayer::Ethernet));
        let (told, _) = asked(&Replay::complete(tree.clone()), &ethernet);
        assert_eq!(told.traffic_class, Reading::Known("Global tclass=106".to_owned()));
        assert_eq!(
            (&told.default_mode, &told.default_tos),
            (&Reading::Known("RoCE v2".to_owned()), &Reading::Known(106))
        );
        assert_eq!(
            (&told.notification_priorities, &told.reaction_priorities),
            (&Reading::Known(vec![3]), &Reading::Absent)
        );
        let (none, _) = asked(&Replay::complete(Vec::<(String, Entry)>::new()), &ethernet);
        assert_eq!((&none.traffic_class, &none.default_mode), (&Reading::Absent, &Reading::Absent));
        assert_eq!((&none.default_tos, &none.notification_priorities), (&Reading::Absent, &Reading::Absent));
        let refused = Replay::complete(tree).with(
            Question::Read("/sys/class/net/ens1/ecn/roce_np/enable/3".into()),
            Err(HostErrorKind::PermissionDenied),
        );
        assert!(matches!(asked(&refused, &ethernet).0.notification_priorities, Reading::Unreadable(_)));
    }

    #[test]
    fn only_ethernet_has_roce() {
        let host = Replay::complete(vec![file("/sys/class/infiniband/mlx5_0/tc/1/traffic_class", "106")]);
        let (told, _) = asked(&host, &port(Reading::Known(RdmaLinkLayer::Infiniband)));
        assert_eq!((&told.traffic_class, &told.notification_priorities), (&Reading::Absent, &Reading::Absent));
        let error = crate::reading::ErrorId(0);
        let (told, _) = asked(&host, &port(Reading::Unreadable(error)));
        assert_eq!(
            (&told.traffic_class, &told.default_tos),
            (&Reading::Unreadable(error), &Reading::Unreadable(error))
        );
        let unknown = RdmaPort { netdev: Reading::Unreadable(error), ..port(Reading::Known(RdmaLinkLayer::Ethernet)) };
        assert_eq!(asked(&host, &unknown).0.reaction_priorities, Reading::Unreadable(error));
    }
}
