//! The real binary, run in a folder with a scrubbed environment, and inventories to run it on.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub fn muster(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muster"));
    command.env_clear().current_dir(folder).args(args).stdin(Stdio::null());
    command
}

pub fn run(folder: &Path, args: &[&str]) -> Output {
    muster(folder, args).output().unwrap()
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

pub fn inventory(node: Value) -> Value {
    json!({
        "schema": "muster.inventory/v1", "version": "0.1.0", "collected_at": "2026-07-01T08:00:00Z", "node": node,
        "sources": ["/sys/block/sda/ro"],
        "errors": [{"operation": "read /sys/class/dmi/id/product_serial", "kind": "permission-denied", "cause": "permission denied"}]
    })
}

pub fn write(folder: &Path, name: &str, value: &Value) {
    fs::write(folder.join(name), serde_json::to_vec(value).unwrap()).unwrap();
}
