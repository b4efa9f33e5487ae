//! Threads that do what may hang: a read of a dying disk sleeps in the kernel where no signal wakes it (state D).
//!
//! A call is handed to an idle thread and waited for until its limit. A thread that has not come back by then is
//! given up on: it ends by itself when the kernel lets go of it, and nobody waits for it. Only the end of the process
//! is out of reach: the kernel does not report it to the parent before its last thread is gone (`delay_group_leader`,
//! `include/linux/sched/signal.h`), so everything must be written out before. Knows nothing of the calls.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

/// Most threads that are kept for the next call.
const IDLE: usize = 16;
/// Most threads that may hang at once: a machine of which so many calls hang will answer no more of them, and every
/// further one would cost its whole time limit.
const HUNG: usize = 64;
/// Their stacks hold one system call.
const STACK_BYTES: usize = 256 << 10;

/// Why a call has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undone {
    /// It did not end within its limit.
    TimedOut,
    /// It was not begun, for too many others hang.
    TooManyHang,
    /// No thread could be started, or it died.
    NoThread,
}

/// Threads for calls that may hang.
#[derive(Default)]
pub(crate) struct Workers {
    idle: Mutex<Vec<Sender<Job>>>,
    hung: Arc<AtomicUsize>,
}

impl Workers {
    /// Does a call and waits for it no longer than `limit`. The result of a call that ends later is dropped, on its
    /// own thread.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Undone> {
        if self.hung.load(Ordering::Relaxed) >= HUNG {
            return Err(Undone::TooManyHang);
        }
        let (result_out, result_in) = mpsc::sync_channel(1);
        // Whoever comes second to this mark knows that the other was there: the call's end, or the giving up on it.
        let mark = Arc::new(AtomicUsize::new(0));
        let (call_mark, hung) = (Arc::clone(&mark), Arc::clone(&self.hung));
        let job: Job = Box::new(move || {
            let result = call();
            if call_mark.fetch_add(1, Ordering::AcqRel) > 0 {
                hung.fetch_sub(1, Ordering::AcqRel);
            }
            // A dropped receiver is a call that was given up on.
            let _ = result_out.send(result);
        });
        let worker = self.hand_over(job)?;
        match result_in.recv_timeout(limit) {
            Ok(result) => {
                self.put_back(worker);
                Ok(result)
            }
            Err(RecvTimeoutError::Timeout) => {
                self.hung.fetch_add(1, Ordering::AcqRel);
                if mark.fetch_add(1, Ordering::AcqRel) > 0 {
                    self.hung.fetch_sub(1, Ordering::AcqRel);
                }
                Err(Undone::TimedOut)
            }
            Err(RecvTimeoutError::Disconnected) => Err(Undone::NoThread),
        }
    }

    /// Gives a job to an idle thread, or to a new one.
    fn hand_over(&self, mut job: Job) -> Result<Sender<Job>, Undone> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(worker) = idle else { break };
            match worker.send(job) {
                Ok(()) => return Ok(worker),
                Err(returned) => job = returned.0,
            }
        }
        let (worker, jobs) = mpsc::channel::<Job>();
        std::thread::Builder::new()
            .name("host call".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                while let Ok(job) = jobs.recv() {
                    job();
                }
            })
            .map_err(|_| Undone::NoThread)?;
        worker.send(job).map_err(|_| Undone::NoThread)?;
        Ok(worker)
    }

    fn put_back(&self, worker: Sender<Job>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(worker);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    const SHORT: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn calls_give_their_results_and_threads_are_kept() {
        let workers = Workers::default();
        let first = workers.run(LONG, || std::thread::current().id()).unwrap();
        let second = workers.run(LONG, || std::thread::current().id()).unwrap();
        assert_eq!(first, second);
        assert_ne!(first, std::thread::current().id());
    }

    #[test]
    fn a_call_that_hangs_is_given_up_on_and_the_next_has_another_thread() {
        let workers = Workers::default();
        let gate = Arc::new(Barrier::new(2));
        let hanging = Arc::clone(&gate);
        assert_eq!(workers.run(SHORT, move || hanging.wait()).map(|_| ()), Err(Undone::TimedOut));
        assert_eq!(workers.hung.load(Ordering::Relaxed), 1);
        assert_eq!(workers.run(LONG, || 5), Ok(5));
        gate.wait();
        while workers.hung.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn no_more_is_begun_once_too_many_hang() {
        let workers = Workers::default();
        let gate = Arc::new(Barrier::new(HUNG + 1));
        for _ in 0..HUNG {
            let hanging = Arc::clone(&gate);
            let undone = workers.run(Duration::ZERO, move || hanging.wait()).map(|_| ());
            assert_eq!(undone, Err(Undone::TimedOut));
        }
        assert_eq!(workers.run(LONG, || ()), Err(Undone::TooManyHang));
        gate.wait();
        while workers.hung.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
        assert_eq!(workers.run(LONG, || ()), Ok(()));
    }

    #[test]
    fn a_call_that_panics_takes_nobody_with_it() {
        let workers = Workers::default();
        assert_eq!(workers.run(LONG, || panic!("as the test wants")), Err::<(), _>(Undone::NoThread));
        assert_eq!(workers.run(LONG, || 1), Ok(1));
    }
}
