//! What lies on a drive: signatures of partition tables, file systems, volume managers, RAID, storage systems and encryption.

use crate::reading::Reading;
use crate::units::Bytes;

record! {
    /// One signature that was found on a drive by reading it. Only where the readers of a format look is looked: a file system whose super
    /// block is gone leaves none. Behind the header of an encrypted device, of swap space and of Ceph BlueStore nothing more is read at its start, for keys
    /// and memory lie there.
    pub struct Signature {
        /// What it is.
        pub kind: Reading<SignatureKind>,
        /// What sort of thing that is.
        pub family: Reading<SignatureFamily>,
        /// Block device that was read: the whole one.
        pub device: Reading<String>,
        /// Number of the partition in which it lies; absent for one of the whole device.
        pub partition: Reading<u64>,
        /// Where it lies on the whole device: the start of the structure that tells it.
        pub offset: Reading<Bytes>,
        /// Name: a volume's label, a RAID set's or ZFS pool's name; absent without.
        pub label: Reading<String>,
        /// Its own identity: UUID, serial number or GUID as its tools write it; absent without.
        pub uuid: Reading<String>,
        /// What it is a member of: LVM volume group by name, else md array, ZFS pool, bcache set, Btrfs file system, Storage Spaces or Stratis pool, Ceph
        /// cluster by UUID or GUID; absent if of none.
        pub member_of: Reading<String>,
        /// Version of the format; absent where it has none.
        pub version: Reading<String>,
        /// Its checksums hold, and its copies are there and agree; absent where it has neither or they are not verified; unreadable where a copy was not read.
        pub intact: Reading<bool>,
        /// What is wrong with it; absent if nothing is, or nothing is verified.
        pub damage: Reading<String>,
    }
}

record! {
    /// One entry of a partition table, read from the drive. Whether the kernel has it too is another question.
    pub struct Partition {
        /// Block device that was read.
        pub device: Reading<String>,
        /// Its number, as the kernel counts.
        pub number: Reading<u64>,
        /// Where it begins.
        pub start: Reading<Bytes>,
        /// Its size.
        pub bytes: Reading<Bytes>,
        /// Type: a GUID in lower case, or "0x83" of an MBR.
        pub type_id: Reading<String>,
        /// Type by name, as in "linux-lvm", "vmware-vsan", "ceph-osd"; absent for one that is not known here.
        pub type_name: Reading<String>,
        /// Name in the table; absent without.
        pub label: Reading<String>,
        /// Unique GUID; absent for MBR.
        pub uuid: Reading<String>,
    }
}

words! {
    /// What sort of thing a signature tells.
    pub enum SignatureFamily {
        /// Partition table.
        PartitionTable = "partition-table",
        /// File system.
        Filesystem = "filesystem",
        /// Volume manager or cache below volumes.
        VolumeManager = "volume-manager",
        /// Software RAID.
        Raid = "raid",
        /// Metadata of a RAID controller or of a main board's RAID.
        VendorRaid = "vendor-raid",
        /// Storage system of a cluster.
        StorageSystem = "storage-system",
        /// Encryption.
        Encryption = "encryption",
        /// Swap space.
        Swap = "swap",
        /// Another.
        Other = "other",
    }
}

/// Declares the kinds of signatures, each with its family.
macro_rules! kinds {
    ($( $(#[doc = $doc:expr])* $variant:ident = $word:tt of $family:ident, )*) => {
        words! {
            /// What a signature is.
            pub enum SignatureKind {
                $( $(#[doc = $doc])* $variant = $word, )*
            }
        }
        impl SignatureKind {
            /// What sort of thing it is.
            #[must_use]
            pub fn family(self) -> SignatureFamily {
                match self {
                    $( Self::$variant => SignatureFamily::$family, )*
                }
            }
        }
    };
}

kinds! {
    /// GUID partition table, primary.
    Gpt = "gpt" of PartitionTable,
    /// GUID partition table, backup at the end.
    GptBackup = "gpt-backup" of PartitionTable,
    /// Partition table of the PC.
    Mbr = "mbr" of PartitionTable,
    /// Partition table of the PC that protects a GUID partition table.
    ProtectiveMbr = "protective-mbr" of PartitionTable,
    /// 55AAh at the end of the first sector, and neither partitions nor a file system that is known.
    BootSector = "boot-sector" of Other,
    /// BSD disklabel.
    BsdLabel = "bsd-disklabel" of PartitionTable,
    /// Sun disklabel.
    SunLabel = "sun-disklabel" of PartitionTable,
    /// SGI volume header.
    SgiLabel = "sgi-disklabel" of PartitionTable,
    /// Windows dynamic disk (Logical Disk Manager).
    WindowsDynamic = "windows-dynamic-disk" of VolumeManager,
    /// ext2.
    Ext2 = "ext2" of Filesystem,
    /// ext3.
    Ext3 = "ext3" of Filesystem,
    /// ext4.
    Ext4 = "ext4" of Filesystem,
    /// External journal of ext3 or ext4.
    ExtJournal = "ext-journal" of Filesystem,
    /// Copy of an ext super block; the first one is gone.
    ExtBackup = "ext-backup" of Filesystem,
    /// XFS.
    Xfs = "xfs" of Filesystem,
    /// First allocation group of XFS; the super block is gone.
    XfsRemains = "xfs-remains" of Filesystem,
    /// Btrfs.
    Btrfs = "btrfs" of Filesystem,
    /// Copy of a Btrfs super block; the first one is gone.
    BtrfsBackup = "btrfs-backup" of Filesystem,
    /// F2FS.
    F2fs = "f2fs" of Filesystem,
    /// NTFS.
    Ntfs = "ntfs" of Filesystem,
    /// FAT with 12 bits.
    Fat12 = "fat12" of Filesystem,
    /// FAT with 16 bits.
    Fat16 = "fat16" of Filesystem,
    /// FAT with 32 bits.
    Fat32 = "fat32" of Filesystem,
    /// exFAT.
    Exfat = "exfat" of Filesystem,
    /// ReFS.
    Refs = "refs" of Filesystem,
    /// ISO 9660.
    Iso9660 = "iso9660" of Filesystem,
    /// UDF.
    Udf = "udf" of Filesystem,
    /// SquashFS.
    Squashfs = "squashfs" of Filesystem,
    /// EROFS.
    Erofs = "erofs" of Filesystem,
    /// JFS.
    Jfs = "jfs" of Filesystem,
    /// ReiserFS.
    Reiserfs = "reiserfs" of Filesystem,
    /// Reiser4.
    Reiser4 = "reiser4" of Filesystem,
    /// NILFS2.
    Nilfs2 = "nilfs2" of Filesystem,
    /// APFS.
    Apfs = "apfs" of Filesystem,
    /// HFS+.
    HfsPlus = "hfsplus" of Filesystem,
    /// OCFS2.
    Ocfs2 = "ocfs2" of Filesystem,
    /// GFS2.
    Gfs2 = "gfs2" of Filesystem,
    /// bcachefs.
    Bcachefs = "bcachefs" of Filesystem,
    /// LVM2 physical volume.
    Lvm2 = "lvm2-pv" of VolumeManager,
    /// bcache.
    Bcache = "bcache" of VolumeManager,
    /// Stratis.
    Stratis = "stratis" of VolumeManager,
    /// VDO.
    Vdo = "vdo" of VolumeManager,
    /// Copy-on-write store of a device mapper snapshot.
    DmSnapshot = "dm-snapshot" of VolumeManager,
    /// Linux software RAID.
    Md = "md" of Raid,
    /// ZFS.
    Zfs = "zfs" of StorageSystem,
    /// Ceph BlueStore.
    BlueStore = "ceph-bluestore" of StorageSystem,
    /// Storage Spaces and Storage Spaces Direct.
    StorageSpaces = "storage-spaces" of StorageSystem,
    /// Volume that holds VMFS.
    VmfsVolume = "vmfs-volume" of StorageSystem,
    /// VMFS.
    Vmfs = "vmfs" of StorageSystem,
    /// VMware vSAN, by the type of its partition.
    Vsan = "vmware-vsan" of StorageSystem,
    /// IBM Storage Scale (GPFS), by the type of its partition.
    Gpfs = "ibm-gpfs" of StorageSystem,
    /// Ceph OSD, journal, DB or WAL, by the type of its partition.
    CephPartition = "ceph-partition" of StorageSystem,
    /// DRBD.
    Drbd = "drbd" of StorageSystem,
    /// Oracle ASM.
    OracleAsm = "oracle-asm" of StorageSystem,
    /// LUKS.
    Luks = "luks" of Encryption,
    /// Second header of LUKS2; the first one is gone.
    LuksBackup = "luks-backup" of Encryption,
    /// BitLocker.
    BitLocker = "bitlocker" of Encryption,
    /// dm-integrity.
    DmIntegrity = "dm-integrity" of Other,
    /// dm-verity.
    DmVerity = "dm-verity" of Other,
    /// Swap space.
    Swap = "swap" of Swap,
    /// Swap space with an image of a suspended system.
    Suspend = "suspend-image" of Swap,
    /// SNIA Disk Data Format: RAID controllers by Broadcom, Dell, Adaptec, Intel and others.
    Ddf = "ddf" of VendorRaid,
    /// Intel Matrix RAID, Rapid Storage, VROC.
    Imsm = "intel-imsm" of VendorRaid,
    /// Adaptec HostRAID.
    Adaptec = "adaptec" of VendorRaid,
    /// Promise FastTrak.
    Promise = "promise-fasttrak" of VendorRaid,
    /// HighPoint 37x.
    Highpoint37x = "highpoint-37x" of VendorRaid,
    /// HighPoint 45x.
    Highpoint45x = "highpoint-45x" of VendorRaid,
    /// Silicon Image Medley.
    Silicon = "silicon-image-medley" of VendorRaid,
    /// LSI MegaRAID of a main board (not DDF).
    Lsi = "lsi-megaraid" of VendorRaid,
    /// JMicron.
    Jmicron = "jmicron" of VendorRaid,
    /// NVIDIA.
    Nvidia = "nvidia-nvraid" of VendorRaid,
    /// VIA.
    Via = "via" of VendorRaid,
}
