//! A recorder around any [`Host`]: what was asked, and what became of it, failures included.
//!
//! It records what was read instead of copying what somebody listed, so that a capture holds just what the verdicts
//! rest on. [`super::Replay`] gives the same answers from it. Knows no disk: the files of a capture are values here.

use super::{Host, Outcome, Question, manifest};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// A recorder. A question that was asked before gets its first answer again: a recording has one answer each.
pub struct Record<'h> {
    host: &'h dyn Host,
    asked: Mutex<BTreeMap<Question, Arc<OnceLock<Outcome>>>>,
}

impl<'h> Record<'h> {
    /// A recorder that has recorded nothing yet.
    #[must_use]
    pub fn new(host: &'h dyn Host) -> Self {
        Self { host, asked: Mutex::new(BTreeMap::new()) }
    }

    fn answer(&self, question: &Question, time: Duration) -> Outcome {
        let slot = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(asked.entry(question.clone()).or_default())
        };
        // Outside the lock: other questions need not wait, the same question from another thread does.
        slot.get_or_init(|| question.put(self.host, time)).clone()
    }

    /// What was recorded so far as the files of a capture: relative paths with their content, sorted. The format is
    /// `muster.capture/v1`.
    #[must_use]
    pub fn capture(&self) -> Vec<(String, Vec<u8>)> {
        let outcomes = {
            let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.iter().filter_map(|(question, slot)| Some((question.clone(), slot.get()?.clone()))).collect()
        };
        manifest::write(&outcomes)
    }
}

host_by_question!(Record<'_>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{
        Answer, Entry, HostError, HostErrorKind, Listing, NetlinkFamily, NvmeAdmin, NvmeAnswer, Replay, ToolOutput,
    };
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Answers every question with something that no other question gets, or with an error.
    struct Counting(AtomicU64);

    impl Counting {
        fn answer(&self, question: &Question, _: Duration) -> Outcome {
            let count = self.0.fetch_add(1, Ordering::Relaxed);
            let bytes = count.to_le_bytes().to_vec();
            if count % 3 == 2 {
                return Err(HostError {
                    operation: format!("do number {count}"),
                    kind: HostErrorKind::Io,
                    cause: "as told".to_owned(),
                });
            }
            Ok(match question {
                Question::Now => Answer::Time(jiff::Timestamp::from_nanosecond(i128::from(count) + 7).unwrap()),
                Question::ClockState => Answer::Clock(crate::host::ClockState {
                    state: count as i32,
                    status: -1,
                    maxerror: count as i64,
                    esterror: i64::MIN,
                }),
                Question::Read(_) | Question::Ethtool(..) | Question::ReadDevice(..) => Answer::Bytes(bytes),
                Question::List(_) => {
                    Answer::Listing(Listing { names: vec![count.to_string()], complete: count.is_multiple_of(2) })
                }
                Question::ReadLink(_) => Answer::Target(count.to_string()),
                Question::Run(_) => {
                    Answer::Tool(ToolOutput { status: Some(count as i32), stdout: bytes.clone(), stderr: bytes })
                }
                Question::NvmeAdmin(..) => {
                    Answer::Nvme(NvmeAnswer { status: count as u16, result: count as u32, data: bytes })
                }
                Question::Netlink(..) => Answer::Messages(vec![bytes, vec![]]),
            })
        }
    }

    host_by_question!(Counting);

    fn questions() -> Vec<Question> {
        let mut questions = vec![Question::Now, Question::ClockState];
        for n in 0..4_u32 {
            questions.extend([
                Question::Read(format!("/sys/{n}")),
                Question::List(format!("/sys/{n}")),
                Question::ReadLink(format!("/sys/{n}")),
                Question::Run(vec!["tool".into(), n.to_string()]),
                Question::NvmeAdmin("/dev/nvme0".into(), NvmeAdmin::Identify { cns: n as u8, nsid: n }),
                Question::NvmeAdmin(
                    "/dev/nvme0".into(),
                    NvmeAdmin::GetLogPage { lid: 2, lsp: 0, lsi: 0, nsid: u32::MAX, length: 512, offset: n.into() },
                ),
                Question::NvmeAdmin(
                    "/dev/nvme0".into(),
                    NvmeAdmin::GetFeatures { fid: 6, sel: 0, cdw11: n, nsid: 0, length: 0 },
                ),
                Question::Ethtool("eth0".into(), n.to_ne_bytes().to_vec()),
                Question::Netlink(NetlinkFamily::Rdma, n.to_ne_bytes().to_vec()),
                Question::ReadDevice("/dev/sda".into(), n.into(), 8),
            ]);
        }
        questions
    }

    #[test]
    fn a_replay_gives_the_same_answers_and_errors() {
        let host = Counting(AtomicU64::new(0));
        let record = Record::new(&host);
        let ask = |host: &dyn Host| -> Vec<Outcome> {
            questions().iter().map(|question| question.put(host, Duration::ZERO)).collect()
        };
        let recorded = ask(&record);
        let replay = Replay::from_files(record.capture()).unwrap();
        assert_eq!(ask(&replay), recorded);
        // a recording of the replay is the same recording
        let again = Record::new(&replay);
        assert_eq!(ask(&again), recorded);
        assert_eq!(again.capture(), record.capture());
    }

    #[test]
    fn a_question_is_asked_once() {
        let host = Counting(AtomicU64::new(0));
        let record = Record::new(&host);
        let first = record.read("/sys/a");
        assert_eq!(record.read("/sys/a"), first);
        assert_ne!(record.read("/sys/b"), first);
        assert_eq!(host.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn the_same_question_from_many_threads_is_asked_once() {
        let host = Counting(AtomicU64::new(0));
        let record = Record::new(&host);
        let answers: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| record.read("/sys/a"))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|answer| *answer == answers[0]));
        assert_eq!(host.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_was_never_asked_is_not_in_the_capture() {
        let host = Replay::complete([("sys/a", Entry::file("1")), ("sys/b", Entry::file("2"))]);
        let record = Record::new(&host);
        record.read("/sys/a").unwrap();
        record.read("/sys/none").unwrap_err();
        let replay = Replay::from_files(record.capture()).unwrap();
        assert_eq!(replay.read("/sys/none").unwrap_err().kind, HostErrorKind::NotFound);
        for error in [replay.read("/sys/b").unwrap_err(), replay.list("/sys").unwrap_err(), replay.now().unwrap_err()] {
            assert_eq!(error.kind, HostErrorKind::NotInCapture);
        }
    }
}
