//! Things asked side by side: several at once up to a bound, each with its own ledger, joined in the order of the things.
//!
//! A thing that did not answer one question in time is asked no more: its time limit is that of one question, and what it
//! was not asked says why. Knows nothing of what is asked.

use super::ledger::Ledger;
use crate::host::{
    ClockState, Host, HostError, HostErrorKind, Listing, NetlinkFamily, NvmeAdmin, NvmeAnswer, Question, ToolCall,
    ToolOutput,
};
use crate::reading::Fact;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Most things that are asked at once. A question mostly waits for the device, so this is not a matter of CPUs; but the drives of one
/// controller share its firmware, and some choke on many SMART commands at a time.
pub(crate) const BOUND: usize = 8;

/// Asks each thing on a thread of its own, at most `bound` at once; the results are in the order of the things, and so are the sources
/// and errors in the ledger, whoever was ready first.
pub(crate) fn each<I: Sync, T: Fact + Send>(
    ledger: &Ledger<'_>,
    things: &[I],
    bound: usize,
    ask: impl Fn(&Ledger<'_>, &I) -> T + Sync,
) -> Vec<T> {
    let host = ledger.host();
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let work = || {
        while let Some((index, thing)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            things.get(index).map(|thing| (index, thing))
        } {
            let patient = Patient { host, silent: AtomicBool::new(false) };
            let own = Ledger::new(&patient);
            let result = ask(&own, thing);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result, own.close()));
        }
    };
    std::thread::scope(|scope| {
        // This thread works too: that a thread could not be started costs time only.
        for _ in 1..bound.min(things.len()) {
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _, _)| *index);
    let joined = done.into_iter().map(|(_, mut result, closed)| {
        ledger.absorb(closed, |ids| result.renumber(ids));
        result
    });
    joined.collect()
}

/// A host that asks no more once a question was not answered in time. That depends on the answers alone, so a recording replays to the same.
struct Patient<'h> {
    host: &'h dyn Host,
    silent: AtomicBool,
}

impl Patient<'_> {
    fn ask<T>(
        &self,
        question: impl FnOnce() -> Question,
        ask: impl FnOnce() -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        if self.silent.load(Ordering::Relaxed) {
            return Err(HostError {
                operation: question().operation(),
                kind: HostErrorKind::TimedOut,
                cause: "not asked, for it did not answer an earlier question in time".to_owned(),
            });
        }
        let answer = ask();
        if matches!(&answer, Err(error) if error.kind == HostErrorKind::TimedOut) {
            self.silent.store(true, Ordering::Relaxed);
        }
        answer
    }
}

impl Host for Patient<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        self.ask(|| Question::Read(path.to_owned()), || self.host.read(path))
    }
    fn list(&self, path: &str) -> Result<Listing, HostError> {
        self.ask(|| Question::List(path.to_owned()), || self.host.list(path))
    }
    fn read_link(&self, path: &str) -> Result<String, HostError> {
        self.ask(|| Question::ReadLink(path.to_owned()), || self.host.read_link(path))
    }
    fn run(&self, call: &ToolCall) -> Result<ToolOutput, HostError> {
        self.ask(|| Question::Run(call.argv.clone()), || self.host.run(call))
    }
    fn nvme_admin(&self, device: &str, command: &NvmeAdmin) -> Result<NvmeAnswer, HostError> {
        self.ask(|| Question::NvmeAdmin(device.to_owned(), *command), || self.host.nvme_admin(device, command))
    }
    fn ethtool(&self, interface: &str, request: &[u8]) -> Result<Vec<u8>, HostError> {
        let question = || Question::Ethtool(interface.to_owned(), request.to_vec());
        self.ask(question, || self.host.ethtool(interface, request))
    }
    fn netlink(&self, family: NetlinkFamily, request: &[u8]) -> Result<Vec<Vec<u8>>, HostError> {
        self.ask(|| Question::Netlink(family, request.to_vec()), || self.host.netlink(family, request))
    }
    fn read_device(&self, device: &str, offset: u64, length: u32) -> Result<Vec<u8>, HostError> {
        let question = || Question::ReadDevice(device.to_owned(), offset, length);
        self.ask(question, || self.host.read_device(device, offset, length))
    }
    fn now(&self) -> Result<jiff::Timestamp, HostError> {
        self.ask(|| Question::Now, || self.host.now())
    }
    fn clock_state(&self) -> Result<ClockState, HostError> {
        self.ask(|| Question::ClockState, || self.host.clock_state())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::ledger::Missing;
    use crate::host::{Answer, Replay};
    use crate::reading::{ErrorKind, Reading};

    fn words(count: usize) -> Vec<String> {
        (0..count).map(|index| format!("/thing/{index:02}")).collect()
    }

    #[test]
    fn results_sources_and_errors_come_in_the_order_of_the_things() {
        let things = words(30);
        let host = things.iter().enumerate().fold(Replay::from_entries::<&str>([]), |host, (index, path)| {
            let outcome = if index % 3 == 0 {
                Err(HostErrorKind::PermissionDenied)
            } else {
                Ok(Answer::Bytes(format!("{index}\n").into_bytes()))
            };
            host.with(Question::Read(path.clone()), outcome)
        });
        let mut told = Vec::new();
        for bound in [1, 4, 64] {
            let ledger = Ledger::new(&host);
            let read: Vec<Reading<String>> =
                each(&ledger, &things, bound, |ledger, path| ledger.text(path, Missing::Absent).reading);
            for (index, reading) in read.iter().enumerate() {
                match reading {
                    Reading::Known(text) => assert_eq!(*text, index.to_string()),
                    Reading::Unreadable(error) => {
                        assert_eq!(ledger.error_at(*error).unwrap().operation, format!("read {}", things[index]));
                    }
                    Reading::Absent => panic!("{index}"),
                }
            }
            told.push((format!("{read:?}"), ledger.close()));
        }
        assert!(told[0] == told[1] && told[1] == told[2]);
        assert_eq!(told[0].1.0, things);
        assert_eq!(told[0].1.1.len(), 10);
    }

    #[test]
    fn a_silent_thing_is_asked_no_more_and_does_not_silence_others() {
        let host = Replay::from_entries::<&str>([])
            .with(Question::Read("/a/1".into()), Err(HostErrorKind::TimedOut))
            .with(Question::Read("/a/2".into()), Ok(Answer::Bytes(b"x".to_vec())))
            .with(Question::Read("/b/1".into()), Ok(Answer::Bytes(b"y".to_vec())))
            .with(Question::Read("/b/2".into()), Ok(Answer::Bytes(b"z".to_vec())));
        let ledger = Ledger::new(&host);
        let read: Vec<Reading<String>> = each(&ledger, &["/a", "/b"], 2, |ledger, base| {
            let _ = ledger.text(&format!("{base}/1"), Missing::Absent);
            ledger.text(&format!("{base}/2"), Missing::Absent).reading
        });
        let Reading::Unreadable(error) = read[0] else { panic!("{read:?}") };
        let error = ledger.error_at(error).unwrap();
        assert_eq!((error.operation.as_str(), error.kind), ("read /a/2", ErrorKind::TimedOut));
        assert_eq!(read[1], Reading::Known("z".to_owned()));
    }

    /// Each of 26 waits until as many are under way as the bound allows, so that fewer would end by the time limit.
    #[test]
    fn as_many_are_asked_at_once_as_the_bound_allows_and_no_more() {
        use std::sync::Condvar;
        let host = Replay::from_entries::<&str>([]);
        let (state, changed) = (Mutex::new((0_usize, 0_usize)), Condvar::new());
        let things = words(26);
        let ledger = Ledger::new(&host);
        let told: Vec<Reading<String>> = each(&ledger, &things, BOUND, |_, path| {
            let mut now = state.lock().unwrap();
            now.0 += 1;
            now.1 = now.1.max(now.0);
            changed.notify_all();
            let limit = std::time::Duration::from_secs(20);
            let (mut now, _) = changed.wait_timeout_while(now, limit, |now| now.1 < BOUND).unwrap();
            now.0 -= 1;
            Reading::Known(path.clone())
        });
        assert_eq!(told.len(), 26);
        assert_eq!(state.lock().unwrap().1, BOUND);
    }
}
