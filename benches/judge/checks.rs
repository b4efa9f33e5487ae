//! Thirty templates of a check, each in the language of this tool, in CEL and in Rego, and ten limits for each: 300
//! checks. 22 of the templates have a comprehension.
//!
//! `LIMIT` stands for the limit: a param in our own language, a number in the others.

/// Limits for each template.
const LIMITS: u64 = 10;

/// One template.
pub struct Template {
    /// Type of the param.
    ty: &'static str,
    /// Base unit of the param.
    unit: &'static str,
    /// The first limit, and what is added for each further one.
    limits: (u64, u64),
    own: &'static str,
    /// Only the comparison with other engines reads these.
    cel: &'static str,
    rego: &'static str,
}

/// One check.
pub struct Check {
    pub name: String,
    limit: u64,
    template: &'static Template,
}

/// All 300.
pub fn all() -> Vec<Check> {
    let of = |(place, template): (usize, &'static Template)| {
        (0..LIMITS).map(move |n| Check {
            name: format!("t{place:02}-{n}"),
            limit: template.limits.0 + n * template.limits.1,
            template,
        })
    };
    TEMPLATES.iter().enumerate().flat_map(of).collect()
}

impl Check {
    /// As a file of rules.
    pub fn yaml(&self) -> String {
        let Template { ty, unit, own, .. } = self.template;
        format!(
            "id: bench.{name}\ntitle: Measures\nlevel: must\nfor: node\nparams:\n  limit: {{ type: {ty}, default: \
             {limit}{unit}, stricter: none, doc: a limit }}\nassert: '{expression}'\nmessage: 'not within \
             {{params.limit}}'\nwhy: To be measured.\nfix: None.\nsources: [{{ title: Own reasoning }}]\n",
            name = self.name,
            limit = self.limit,
            expression = own.replace("LIMIT", "params.limit"),
        )
    }

    pub fn cel(&self) -> String {
        self.template.cel.replace("LIMIT", &format!("{}u", self.limit))
    }

    pub fn rego(&self) -> String {
        format!(
            "p{} if {{ {} }}",
            self.name.replace('-', "_"),
            self.template.rego.replace("LIMIT", &self.limit.to_string())
        )
    }
}

const fn template(
    (ty, unit): (&'static str, &'static str),
    limits: (u64, u64),
    own: &'static str,
    cel: &'static str,
    rego: &'static str,
) -> Template {
    Template { ty, unit, limits, own, cel, rego }
}

const INT: (&str, &str) = ("int", "");
const BYTES: (&str, &str) = ("bytes", "B");
const RATE: (&str, &str) = ("bits_per_second", "bit/s");

static TEMPLATES: &[Template] = &[
    template(
        BYTES,
        (100_000_000_000, 1_000_000_000),
        "node.drives.all(d, d.bytes >= LIMIT)",
        "node.drives.all(d, d.bytes >= LIMIT)",
        "every d in input.drives { d.bytes >= LIMIT }",
    ),
    template(
        BYTES,
        (7_000_000_000_000, 75_500_000_000),
        r#"node.drives.all(d, d.usage == "boot" || d.bytes >= LIMIT)"#,
        r#"node.drives.all(d, d.usage == "boot" || d.bytes >= LIMIT)"#,
        r#"count([1 | some d in input.drives; d.usage != "boot"; d.bytes < LIMIT]) == 0"#,
    ),
    template(
        BYTES,
        (1_000_000_000_000, 1_000_000_000),
        r#"node.drives.exists(d, d.media == "ssd" && d.bytes >= LIMIT)"#,
        r#"node.drives.exists(d, d.media == "ssd" && d.bytes >= LIMIT)"#,
        r#"some d in input.drives; d.media == "ssd"; d.bytes >= LIMIT"#,
    ),
    template(
        INT,
        (10, 1),
        r#"size(node.drives.filter(d, d.media == "ssd" && d.transport == "nvme")) >= LIMIT"#,
        r#"size(node.drives.filter(d, d.media == "ssd" && d.transport == "nvme")) >= int(LIMIT)"#,
        r#"count([d | some d in input.drives; d.media == "ssd"; d.transport == "nvme"]) >= LIMIT"#,
    ),
    template(
        BYTES,
        (4096, 4096),
        "node.drives.all(d, d.logical_block_size <= d.physical_block_size && d.physical_block_size <= LIMIT)",
        "node.drives.all(d, d.logical_block_size <= d.physical_block_size && d.physical_block_size <= LIMIT)",
        "every d in input.drives { d.logical_block_size <= d.physical_block_size; d.physical_block_size <= LIMIT }",
    ),
    template(
        BYTES,
        (900_000_000_000, 1_000_000_000),
        r#"node.drives.all(d, d.firmware.startsWith("GDC") && d.bytes >= LIMIT)"#,
        r#"node.drives.all(d, d.firmware.startsWith("GDC") && d.bytes >= LIMIT)"#,
        r#"every d in input.drives { startswith(d.firmware, "GDC"); d.bytes >= LIMIT }"#,
    ),
    template(
        BYTES,
        (900_000_000_000, 1_000_000_000),
        r#"node.drives.all(d, d.model.matches("^(SAMSUNG|KIOXIA) [A-Z0-9]+-") || d.bytes < LIMIT)"#,
        r#"node.drives.all(d, d.model.matches("^(SAMSUNG|KIOXIA) [A-Z0-9]+-") || d.bytes < LIMIT)"#,
        r#"count([1 | some d in input.drives; not regex.match("^(SAMSUNG|KIOXIA) [A-Z0-9]+-", d.model); d.bytes >= LIMIT]) == 0"#,
    ),
    template(
        INT,
        (1, 1),
        r#"node.drives.filter(d, d.usage == "free").all(d, d.numa_node <= LIMIT)"#,
        r#"node.drives.filter(d, d.usage == "free").all(d, d.numa_node <= LIMIT)"#,
        r#"every d in [x | some x in input.drives; x.usage == "free"] { d.numa_node <= LIMIT }"#,
    ),
    template(
        INT,
        (1, 1),
        "node.drives.all(d, size(d.serial) >= LIMIT && size(d.id) >= LIMIT)",
        "node.drives.all(d, size(d.serial) >= int(LIMIT) && size(d.id) >= int(LIMIT))",
        "every d in input.drives { count(d.serial) >= LIMIT; count(d.id) >= LIMIT }",
    ),
    template(
        INT,
        (1, 0),
        r#"node.nvme_controllers.all(c, c.state == "live" && size(c.namespaces) >= LIMIT)"#,
        r#"node.nvme_controllers.all(c, c.state == "live" && size(c.namespaces) >= int(LIMIT))"#,
        r#"every c in input.nvme_controllers { c.state == "live"; count(c.namespaces) >= LIMIT }"#,
    ),
    template(
        INT,
        (1, 1),
        r#"node.nvme_controllers.all(c, c.transport == "pcie" && c.numa_node <= LIMIT)"#,
        r#"node.nvme_controllers.all(c, c.transport == "pcie" && c.numa_node <= LIMIT)"#,
        r#"every c in input.nvme_controllers { c.transport == "pcie"; c.numa_node <= LIMIT }"#,
    ),
    template(
        RATE,
        (10_000_000_000, 10_000_000_000),
        r#"node.nics.filter(n, n.kind == "physical").all(n, n.speed >= LIMIT)"#,
        r#"node.nics.filter(n, n.kind == "physical").all(n, n.speed >= LIMIT)"#,
        r#"every n in [x | some x in input.nics; x.kind == "physical"] { n.speed >= LIMIT }"#,
    ),
    template(
        INT,
        (1500, 830),
        r#"node.nics.all(n, n.mtu >= LIMIT && n.duplex == "full")"#,
        r#"node.nics.all(n, n.mtu >= LIMIT && n.duplex == "full")"#,
        r#"every n in input.nics { n.mtu >= LIMIT; n.duplex == "full" }"#,
    ),
    template(
        INT,
        (0, 10),
        "node.nics.all(n, n.counters.rx_crc_errors <= LIMIT && n.counters.rx_errors <= LIMIT)",
        "node.nics.all(n, n.counters.rx_crc_errors <= LIMIT && n.counters.rx_errors <= LIMIT)",
        "every n in input.nics { n.counters.rx_crc_errors <= LIMIT; n.counters.rx_errors <= LIMIT }",
    ),
    template(
        RATE,
        (10_000_000_000, 10_000_000_000),
        "size(node.nics.filter(n, n.carrier && n.speed >= LIMIT)) >= 4",
        "size(node.nics.filter(n, n.carrier && n.speed >= LIMIT)) >= 4",
        "count([n | some n in input.nics; n.carrier; n.speed >= LIMIT]) >= 4",
    ),
    template(
        INT,
        (1500, 830),
        r#"node.nics.exists(n, n.master == "bond1" && n.mtu >= LIMIT)"#,
        r#"node.nics.exists(n, n.master == "bond1" && n.mtu >= LIMIT)"#,
        r#"some n in input.nics; n.master == "bond1"; n.mtu >= LIMIT"#,
    ),
    template(
        INT,
        (1, 1),
        "node.pci_functions.all(p, p.numa_node <= LIMIT)",
        "node.pci_functions.all(p, p.numa_node <= LIMIT)",
        "every p in input.pci_functions { p.numa_node <= LIMIT }",
    ),
    template(
        INT,
        (4, 0),
        r#"node.pci_functions.filter(p, p.class.startsWith("0108")).all(p, p.current_link_width >= LIMIT)"#,
        r#"node.pci_functions.filter(p, p.class.startsWith("0108")).all(p, p.current_link_width >= LIMIT)"#,
        r#"every p in [x | some x in input.pci_functions; startswith(x.class, "0108")] { p.current_link_width >= LIMIT }"#,
    ),
    template(
        INT,
        (1, 0),
        "node.pci_links.all(l, l.current_width >= LIMIT && l.current_width <= l.max_width)",
        "node.pci_links.all(l, l.current_width >= LIMIT && l.current_width <= l.max_width)",
        "every l in input.pci_links { l.current_width >= LIMIT; l.current_width <= l.max_width }",
    ),
    template(
        INT,
        (0, 1),
        "size(node.pci_links.filter(l, l.down_trained)) <= LIMIT",
        "size(node.pci_links.filter(l, l.down_trained)) <= int(LIMIT)",
        "count([l | some l in input.pci_links; l.down_trained]) <= LIMIT",
    ),
    template(
        RATE,
        (10_000_000_000, 10_000_000_000),
        r#"node.rdma_devices.all(r, r.ports.all(p, p.state == "active" && p.rate >= LIMIT))"#,
        r#"node.rdma_devices.all(r, r.ports.all(p, p.state == "active" && p.rate >= LIMIT))"#,
        r#"every r in input.rdma_devices { every p in r.ports { p.state == "active"; p.rate >= LIMIT } }"#,
    ),
    template(
        BYTES,
        (100_000_000, 1_000_000),
        r#"node.block_devices.all(b, b.kind != "partition" || b.bytes >= LIMIT)"#,
        r#"node.block_devices.all(b, b.kind != "partition" || b.bytes >= LIMIT)"#,
        r#"count([1 | some b in input.block_devices; b.kind == "partition"; b.bytes < LIMIT]) == 0"#,
    ),
    template(INT, (16, 8), "node.cpu.cores >= LIMIT", "node.cpu.cores >= LIMIT", "input.cpu.cores >= LIMIT"),
    template(
        BYTES,
        (68_719_476_736, 68_719_476_736),
        "node.memory.total >= LIMIT",
        "node.memory.total >= LIMIT",
        "input.memory.total >= LIMIT",
    ),
    template(
        INT,
        (2, 1),
        "node.cpu.threads == node.cpu.cores * 2 && node.cpu.sockets <= LIMIT",
        "node.cpu.threads == node.cpu.cores * 2u && node.cpu.sockets <= LIMIT",
        "input.cpu.threads == input.cpu.cores * 2; input.cpu.sockets <= LIMIT",
    ),
    template(
        INT,
        (0, 1),
        r#"node.os.kernel_release.startsWith("6.") && node.os.tainted <= LIMIT"#,
        r#"node.os.kernel_release.startsWith("6.") && node.os.tainted <= LIMIT"#,
        r#"startswith(input.os.kernel_release, "6."); input.os.tainted <= LIMIT"#,
    ),
    template(
        BYTES,
        (0, 1024),
        r#"node.system.firmware_interface == "uefi" && node.memory.hardware_corrupted <= LIMIT"#,
        r#"node.system.firmware_interface == "uefi" && node.memory.hardware_corrupted <= LIMIT"#,
        r#"input.system.firmware_interface == "uefi"; input.memory.hardware_corrupted <= LIMIT"#,
    ),
    template(
        BYTES,
        (68_719_476_736, 68_719_476_736),
        "node.memory.online - node.memory.hugepages >= LIMIT",
        "node.memory.online - node.memory.hugepages >= LIMIT",
        "input.memory.online - input.memory.hugepages >= LIMIT",
    ),
    template(
        INT,
        (16, 8),
        r#""avx2" in node.cpu.packages[0].flags && node.cpu.packages[0].threads >= LIMIT"#,
        r#""avx2" in node.cpu.packages[0].flags && node.cpu.packages[0].threads >= LIMIT"#,
        r#""avx2" in input.cpu.packages[0].flags; input.cpu.packages[0].threads >= LIMIT"#,
    ),
    template(
        INT,
        (4, 2),
        "size(node.drives) >= LIMIT && size(node.nvme_controllers) >= LIMIT",
        "size(node.drives) >= int(LIMIT) && size(node.nvme_controllers) >= int(LIMIT)",
        "count(input.drives) >= LIMIT; count(input.nvme_controllers) >= LIMIT",
    ),
];
