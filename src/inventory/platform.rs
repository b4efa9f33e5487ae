//! What surrounds the hardware: the clock's synchronisation, Secure Boot, lockdown and TPM.
//!
//! Knows what the kernel says; not whether the clock's source is right, nor whether what was booted is what was signed.

use crate::reading::Reading;
use crate::units::Seconds;

record! {
    /// The clock and what keeps it right.
    pub struct Time {
        /// Something disciplines the clock: `STA_UNSYNC` is not set and the state is not `TIME_ERROR` (clock_adjtime(2)).
        /// The bit is cleared by whoever claims it; a container, and a guest whose host sets its clock, may see what is
        /// not its own doing.
        pub synchronized: Reading<bool>,
        /// Largest error that the kernel holds for possible: grows by 500 us/s between the corrections, to 16 s when none
        /// comes. `maxerror`.
        pub max_error: Reading<Seconds>,
        /// Error as the time service estimates it. `esterror`.
        pub estimated_error: Reading<Seconds>,
        /// Time services that systemd has started, sorted: "chronyd", "ntpd", "ntpsec", "openntpd", "systemd-timesyncd", "ptp4l", "phc2sys".
        /// `/run/systemd/units`, since systemd 236: unreadable elsewhere.
        pub services: Reading<Vec<String>>,
        /// Source that the service follows: a server's address, "PTP"; absent without a service, and while it follows none. `chronyc -c -n tracking`, `ntpq -pn`,
        /// `pmc` (linuxptp).
        pub source: Reading<String>,
        /// Distance of the clock from the reference in steps: NTP stratum of what is followed (chronyd: its own), PTP `stepsRemoved`. As `source`.
        pub stratum: Reading<u64>,
        /// How far the service holds the clock to be off, without a sign. As `source`.
        pub offset: Reading<Seconds>,
    }
}

record! {
    /// Secure Boot, kernel lockdown and TPM.
    pub struct Security {
        /// Secure Boot is on; absent where the kernel was not started by EFI, or the firmware has no such variable. `/sys/firmware/efi/efivars/SecureBoot-*`.
        pub secure_boot: Reading<bool>,
        /// The firmware is in setup mode: no platform key, so anybody may enrol keys; absent as above. `/sys/firmware/efi/efivars/SetupMode-*`.
        pub setup_mode: Reading<bool>,
        /// Kernel lockdown: "none", "integrity", "confidentiality" (kernel_lockdown(7)). `/sys/kernel/security/lockdown`.
        pub lockdown: Reading<String>,
        /// Major version of the first TPM, 1 or 2; absent if the kernel has a TPM class without devices. `/sys/class/tpm/tpm0/tpm_version_major`,
        /// since Linux 5.6, else the attributes that only a TPM 1.2 has.
        pub tpm_version: Reading<u64>,
        /// What ACPI calls the first TPM, as in "TPM 2.0 Device". `/sys/class/tpm/tpm0/device/description`.
        pub tpm_description: Reading<String>,
    }
}
