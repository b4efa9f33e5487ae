//! Bytes from devices and texts from captures are anybody's: no parser may panic on them.

use crate::collect::block::path::DevicePath;
use crate::collect::block::udev::Udev;
use crate::collect::block::{mounts, names, vpd};
use proptest::prelude::*;

proptest! {
    #[test]
    fn pages_of_any_bytes(code in prop::sample::select(vec![0x80u8, 0x83, 0x89, 0xb1]), length in any::<u16>(), bytes in prop::collection::vec(any::<u8>(), 0..700)) {
        let page = [&[0, code], length.to_be_bytes().as_slice(), &bytes].concat();
        for page in [page, vpd::tests::vpd(code, &bytes)] {
            let _ = (vpd::unit_serial(&page), vpd::identification(&page), vpd::ata_information(&page), vpd::rotation(&page));
        }
    }

    #[test]
    fn texts_of_any_kind(text in "[\\PC \n\\\\:=,-]{0,200}", name in "[a-z0-9!_.-]{0,16}") {
        let _ = (vpd::wwid(&text), mounts::parse_mountinfo(&text), mounts::parse_swaps(&text), mounts::unescape(&text));
        let udev = Udev::parse(&text);
        let _ = (udev.model(), udev.serial(), udev.wwn(), udev.signature());
        if let Some(path) = DevicePath::of_link("/sys/block/x", &format!("../devices/{text}")) {
            let _ = (path.bus(), path.pci_function(), path.scsi_address(), path.usb_device(), path.owner());
        }
        let _ = (names::classify(&text), names::classify(&name), names::shared_namespace(&name));
        let _ = names::is_partition_of(&name, &text);
    }

    #[test]
    fn the_order_of_names_is_one(names in prop::collection::vec("(sd|nvme|dm-|vd|x)[a-z0-9]{0,4}", 0..12)) {
        let sorted = names::sorted(names.clone());
        let mut reversed = names;
        reversed.reverse();
        prop_assert_eq!(&names::sorted(reversed), &sorted);
        prop_assert!(sorted.windows(2).all(|pair| names::order(&pair[0], &pair[1]).is_lt()));
    }
}
