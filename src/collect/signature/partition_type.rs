//! Types of partitions by name. GUIDs: util-linux, include/pt-gpt-partnames.h; ceph-volume, util/constants.py; Windows SDK, diskguid.h
//! (`PARTITION_SBL_CACHE_*`: the cache of Storage Spaces Direct). Bytes of an MBR: util-linux, include/pt-mbr-partnames.h.

use crate::inventory::signature::SignatureKind;

const GUIDS: &[(&str, &str)] = &[
    ("c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "efi-system"),
    ("21686148-6449-6e6f-744e-656564454649", "bios-boot"),
    ("024dee41-33e7-11d3-9d69-0008c781f39f", "mbr-scheme"),
    ("9e1a2d38-c612-4316-aa26-8b49521e5a8b", "prep-boot"),
    ("7412f7d5-a156-4b13-81dc-867174929325", "onie-boot"),
    ("d4e6e2cd-4469-46f3-b5cb-1bff57afc149", "onie-config"),
    ("e3c9e316-0b5c-4db8-817d-f92df00215ae", "microsoft-reserved"),
    ("ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", "microsoft-basic-data"),
    ("5808c8aa-7e8f-42e0-85d2-e1e90434cfb3", "microsoft-ldm-metadata"),
    ("af9b60a0-1431-4f62-bc68-3311714a69ad", "microsoft-ldm-data"),
    ("de94bba4-06d1-4d40-a16a-bfd50179d6ac", "windows-recovery"),
    ("e75caf8f-f680-4cee-afa3-b001e56efc2d", "storage-spaces"),
    ("e7addcb4-dc34-4539-9a76-ebbd07be6f7e", "storage-spaces-data"),
    ("eeff8352-dd2a-44db-ae83-bee1cf7481dc", "storage-spaces-direct-cache-ssd"),
    ("dcc0c7c1-55ad-4f17-9d43-4bc776e0117e", "storage-spaces-direct-cache-ssd-reserved"),
    ("03aaa829-ebfc-4e7e-aac9-c4d76c63b24b", "storage-spaces-direct-cache-hdd"),
    ("558d43c5-a1ac-43c0-aac8-d1472b2923d1", "storage-replica"),
    ("37affc90-ef7d-4e96-91c3-2d7ae055b174", "ibm-gpfs"),
    ("0fc63daf-8483-4772-8e79-3d69d8477de4", "linux-filesystem"),
    ("0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", "linux-swap"),
    ("a19d880f-05fc-4d3b-a006-743f0f84911e", "linux-raid"),
    ("e6d6d379-f507-44c2-a23c-238f2a3df928", "linux-lvm"),
    ("ca7d7ccb-63ed-4c53-861c-1742536059cc", "linux-luks"),
    ("7ffec5c9-2d00-49b7-8941-3ea10a5586b7", "linux-dm-crypt"),
    ("8da63339-0007-60c0-c436-083ac8230908", "linux-reserved"),
    ("933ac7e1-2eb4-4f13-b844-0e14e2aef915", "linux-home"),
    ("3b8f8425-20e0-4f3b-907f-1a25a76f98e8", "linux-server-data"),
    ("4d21b016-b534-45c2-a9fb-5c16e091fd2d", "linux-var"),
    ("7ec6f557-3bc5-4aca-b293-16ef5df639d1", "linux-tmp"),
    ("44479540-f297-41b2-9af7-d131d5f0458a", "linux-root-x86"),
    ("4f68bce3-e8cd-4db1-96e7-fbcaf984b709", "linux-root-x86-64"),
    ("b921b045-1df0-41c3-af44-4c6f280d3fae", "linux-root-arm64"),
    ("8484680c-9521-48c6-9c11-b0720656f69e", "linux-usr-x86-64"),
    ("b0e01050-ee5f-4390-949a-9101b17104e9", "linux-usr-arm64"),
    ("bc13c2ff-59e6-4262-a352-b275fd6f7172", "linux-extended-boot"),
    ("45b0969e-9b03-4f30-b4c6-b4b80ceff106", "ceph-journal"),
    ("45b0969e-9b03-4f30-b4c6-5ec00ceff106", "ceph-journal-dm-crypt"),
    ("45b0969e-9b03-4f30-b4c6-35865ceff106", "ceph-journal-luks"),
    ("4fbd7e29-9d25-41b8-afd0-062c0ceff05d", "ceph-osd"),
    ("4fbd7e29-9d25-41b8-afd0-5ec00ceff05d", "ceph-osd-dm-crypt"),
    ("4fbd7e29-9d25-41b8-afd0-35865ceff05d", "ceph-osd-luks"),
    ("cafecafe-9b03-4f30-b4c6-b4b80ceff106", "ceph-block"),
    ("cafecafe-9b03-4f30-b4c6-5ec00ceff106", "ceph-block-dm-crypt"),
    ("cafecafe-9b03-4f30-b4c6-35865ceff106", "ceph-block-luks"),
    ("30cd0809-c2b2-499c-8879-2d6b78529876", "ceph-block-db"),
    ("93b0052d-02d9-4d8a-a43b-33a3ee4dfbc3", "ceph-block-db-dm-crypt"),
    ("166418da-c469-4022-adf4-b30afd37f176", "ceph-block-db-luks"),
    ("5ce17fce-4087-4169-b7ff-056cc58473f9", "ceph-block-wal"),
    ("306e8683-4fe2-4330-b7c0-00a917c16966", "ceph-block-wal-dm-crypt"),
    ("86a32090-3647-40b9-bbbd-38d8c573aa86", "ceph-block-wal-luks"),
    ("fb3aabf9-d25f-47cc-bf5e-721d1816496b", "ceph-lockbox"),
    ("89c57f98-2fe5-4dc0-89c1-f3ad0ceff2be", "ceph-in-creation"),
    ("89c57f98-2fe5-4dc0-89c1-5ec00ceff2be", "ceph-in-creation-dm-crypt"),
    ("aa31e02a-400f-11db-9590-000c2911d1b8", "vmware-vmfs"),
    ("9d275380-40ad-11db-bf97-000c2911d1b8", "vmware-vmkcore"),
    ("381cfccc-7288-11e0-92ee-000c2911d0b2", "vmware-vsan"),
    ("77719a0c-a4a0-11e3-a47e-000c29745a24", "vmware-virsto"),
    ("9198effc-31c0-11db-8f78-000c2911d1b8", "vmware-reserved"),
    ("6a898cc3-1dd2-11b2-99a6-080020736631", "zfs"),
    ("6a945a3b-1dd2-11b2-99a6-080020736631", "solaris-reserved"),
    ("516e7cb4-6ecf-11d6-8ff8-00022d09712b", "freebsd"),
    ("83bd6b9d-7f41-11dc-be0b-001560b84f0f", "freebsd-boot"),
    ("516e7cb5-6ecf-11d6-8ff8-00022d09712b", "freebsd-swap"),
    ("516e7cb6-6ecf-11d6-8ff8-00022d09712b", "freebsd-ufs"),
    ("516e7cba-6ecf-11d6-8ff8-00022d09712b", "freebsd-zfs"),
    ("48465300-0000-11aa-aa11-00306543ecac", "apple-hfs"),
    ("7c3457ef-0000-11aa-aa11-00306543ecac", "apple-apfs"),
    ("52414944-0000-11aa-aa11-00306543ecac", "apple-raid"),
    ("53746f72-6167-11aa-aa11-00306543ecac", "apple-core-storage"),
];

const MBR: &[(u8, &str)] = &[
    (0x05, "extended"),
    (0x06, "fat16"),
    (0x07, "ntfs-exfat"),
    (0x0b, "fat32"),
    (0x0c, "fat32-lba"),
    (0x0e, "fat16-lba"),
    (0x0f, "extended-lba"),
    (0x42, "microsoft-ldm"),
    (0x82, "linux-swap"),
    (0x83, "linux"),
    (0x85, "linux-extended"),
    (0x8e, "linux-lvm"),
    (0xa5, "freebsd"),
    (0xbf, "solaris"),
    (0xda, "non-fs-data"),
    (0xee, "gpt"),
    (0xef, "efi-system"),
    (0xfb, "vmware-vmfs"),
    (0xfc, "vmware-vmkcore"),
    (0xfd, "linux-raid"),
];

/// The name of a type, by its GUID in lower case.
pub(super) fn of_guid(guid: &str) -> Option<&'static str> {
    GUIDS.iter().find(|(known, _)| *known == guid).map(|(_, name)| *name)
}

/// The name of a type, by its byte.
pub(super) fn of_mbr(kind: u8) -> Option<&'static str> {
    MBR.iter().find(|(known, _)| *known == kind).map(|(_, name)| *name)
}

/// The storage system that a type alone tells: its members have no other sign whose place is published, or may have lost it.
pub(super) fn storage_system(name: &str) -> Option<SignatureKind> {
    match name {
        "vmware-vsan" | "vmware-virsto" => Some(SignatureKind::Vsan),
        "ibm-gpfs" => Some(SignatureKind::Gpfs),
        "vmware-vmfs" => Some(SignatureKind::Vmfs),
        name if name.starts_with("storage-spaces") => Some(SignatureKind::StorageSpaces),
        name if name.starts_with("ceph-") => Some(SignatureKind::CephPartition),
        "zfs" | "freebsd-zfs" => Some(SignatureKind::Zfs),
        _ => None,
    }
}
