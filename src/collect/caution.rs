//! What must not be asked of a drive, by model and firmware.

/// Why the self-test log of a drive is not asked for.
pub(crate) fn self_test_log(_model: &str, _firmware: &str) -> Option<&'static str> {
    None
}
