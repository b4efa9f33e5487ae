//! Tools: found in the system's own folders, run with a fixed environment, and never waited for without a limit.
//!
//! A tool that asks a dying disk sleeps in the kernel and cannot be killed; one that starts a helper leaves somebody
//! who holds its output open. Both cost their time limit and no more. Knows no tool by name.
#![expect(clippy::disallowed_types, reason = "part of the one door: tools are run here")]

use super::workers::Workers;
use super::{Answer, HostErrorKind, Limits, Outcome, Question, ToolOutput, errno};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Access, FileType};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where programs are looked for: the system's folders, then those where vendors put the tools of their controllers.
const FOLDERS: &[&str] = &[
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/usr/local/sbin",
    "/usr/local/bin",
    "/opt/MegaRAID/storcli",
    "/opt/MegaRAID/storcli2",
    "/opt/MegaRAID/perccli",
    "/opt/MegaRAID/perccli2",
    "/opt/MegaRAID/MegaCli",
    "/opt/smartstorageadmin/ssacli/bin",
    "/opt/hp/ssacli/bin",
    "/opt/hp/hpssacli/bin",
    "/opt/dell/srvadmin/bin",
    "/usr/StorMan",
];

/// The `PATH` that tools see.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin";

/// How long a tool has between the asking and the killing, to leave its device in order.
const GRACE: Duration = Duration::from_millis(300);
/// How long one that was killed is waited for, so that it leaves no zombie.
const REAP: Duration = Duration::from_millis(200);

/// Runs a tool within its time limit (and the two short waits above, if it has to be ended).
pub(crate) fn run(workers: &Workers, question: &Question, argv: &[String], limit: Duration) -> Outcome {
    let deadline = Instant::now() + limit;
    let timed_out = || question.error(HostErrorKind::TimedOut, super::no_answer_within(limit));
    let Some((name, arguments)) = argv.split_first().filter(|(name, _)| is_plain(name)) else {
        return Err(question.error(HostErrorKind::NotSupported, "not the plain name of a program"));
    };
    if argv.iter().any(|word| word.contains('\0')) {
        return Err(question.error(HostErrorKind::NotSupported, "an argument holds a NUL"));
    }
    // Even to look for a program may hang, where it lies on a network file system.
    let (name, arguments) = (name.clone(), arguments.to_vec());
    let started = workers
        .run(limit, move || start(&name, &arguments))
        .map_err(|undone| super::undone(question, undone, limit))?;
    let mut running = started.map_err(|unstarted| match unstarted {
        Unstarted::Missing => question.error(HostErrorKind::ToolMissing, super::NO_SUCH_PROGRAM),
        Unstarted::Failed(kind, cause) => question.error(kind, cause),
    })?;
    match running.outputs(deadline) {
        Ok((stdout, stderr)) => match running.end(deadline) {
            Some(status) => Ok(Answer::Tool(ToolOutput { status: status.code(), stdout, stderr })),
            None => Err(timed_out()),
        },
        Err(Cut::TimedOut) => Err(timed_out()),
        Err(Cut::TooLarge) => Err(question.too_large(Limits::TOOL_BYTES)),
        Err(Cut::Failed(number)) => Err(errno::failure(question.operation(), number.raw_os_error())),
    }
}

fn is_plain(name: &str) -> bool {
    !name.contains('/') && !matches!(name, "" | "." | "..")
}

enum Unstarted {
    Missing,
    Failed(HostErrorKind, String),
}

fn start(name: &str, arguments: &[String]) -> Result<Running, Unstarted> {
    let program = find(name)?;
    let child = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("PATH", PATH)
        .env("LC_ALL", "C")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| {
            let (kind, cause) = errno::io_meaning(&error);
            // The program was there: what is missing is its loader or its interpreter.
            let kind = if kind == HostErrorKind::NotFound { HostErrorKind::Io } else { kind };
            Unstarted::Failed(kind, cause)
        })?;
    Ok(Running { child, ended: false })
}

/// The first program of that name; one that may not be run is an error only if there is no other.
fn find(name: &str) -> Result<PathBuf, Unstarted> {
    let mut refused = None;
    for folder in FOLDERS {
        let path = Path::new(folder).join(name);
        match rustix::fs::stat(&path) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {}
            _ => continue,
        }
        match rustix::fs::access(&path, Access::EXEC_OK) {
            Ok(()) => return Ok(path),
            Err(number) => refused = Some(errno::meaning(number.raw_os_error())),
        }
    }
    Err(refused.map_or(Unstarted::Missing, |(kind, cause)| Unstarted::Failed(kind, cause)))
}

/// Why there is no whole output.
enum Cut {
    TimedOut,
    TooLarge,
    Failed(Errno),
}

/// A tool that runs, and whatever it started in its process group. Dropped, it is ended.
struct Running {
    child: Child,
    /// Whether it was reaped: from then on its number may be another's.
    ended: bool,
}

impl Running {
    /// Both outputs to their end.
    fn outputs(&mut self, deadline: Instant) -> Result<(Vec<u8>, Vec<u8>), Cut> {
        let mut outputs = [
            Output { pipe: self.child.stdout.take().map(OwnedFd::from), bytes: Vec::new() },
            Output { pipe: self.child.stderr.take().map(OwnedFd::from), bytes: Vec::new() },
        ];
        while outputs.iter().any(|output| output.pipe.is_some()) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Cut::TimedOut);
            }
            let mut polled: Vec<PollFd<'_>> =
                outputs.iter().filter_map(|output| Some(PollFd::new(output.pipe.as_ref()?, PollFlags::IN))).collect();
            let left = Timespec::try_from(left).map_err(|_| Cut::TimedOut)?;
            match rustix::event::poll(&mut polled, Some(&left)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(number) => return Err(Cut::Failed(number)),
            }
            let mut ready = polled.iter().map(|polled| !polled.revents().is_empty()).collect::<Vec<_>>().into_iter();
            for output in &mut outputs {
                if output.pipe.is_some() && ready.next() == Some(true) {
                    output.take_what_is_there()?;
                }
            }
        }
        let [stdout, stderr] = outputs;
        Ok((stdout.bytes, stderr.bytes))
    }

    /// Waits for the tool itself, whose outputs have ended.
    fn end(&mut self, deadline: Instant) -> Option<std::process::ExitStatus> {
        if !self.wait_until(deadline) {
            return None;
        }
        let status = self.child.try_wait().ok().flatten();
        self.ended = status.is_some();
        status
    }

    /// Whether the tool ended by then. It is not reaped: its number stays its own, and its group's.
    fn wait_until(&self, deadline: Instant) -> bool {
        let mut pause = Duration::from_micros(100);
        loop {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            match rustix::process::waitid(WaitId::Pid(self.pid()), options) {
                Ok(None) | Err(Errno::INTR) => {}
                Ok(Some(_)) | Err(_) => return true,
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // A failure means that nobody is left in the group.
        let _ = rustix::process::kill_process_group(self.pid(), Signal::TERM);
        self.wait_until(Instant::now() + GRACE);
        let _ = rustix::process::kill_process_group(self.pid(), Signal::KILL);
        if self.wait_until(Instant::now() + REAP) {
            let _ = self.child.try_wait();
        }
    }
}

/// One output of a tool.
struct Output {
    pipe: Option<OwnedFd>,
    bytes: Vec<u8>,
}

impl Output {
    /// Takes what a pipe that is ready gives at once; at its end, closes it.
    fn take_what_is_there(&mut self) -> Result<(), Cut> {
        let Some(pipe) = &self.pipe else { return Ok(()) };
        let mut chunk = [0; 64 << 10];
        match rustix::io::read(pipe, &mut chunk) {
            Ok(0) => self.pipe = None,
            Ok(count) => self.bytes.extend_from_slice(chunk.get(..count).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(number) => return Err(Cut::Failed(number)),
        }
        if self.bytes.len() > Limits::TOOL_BYTES { Err(Cut::TooLarge) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::HostError;

    fn ask(argv: &[&str], limit: Duration) -> (Result<ToolOutput, HostError>, Duration) {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        let begun = Instant::now();
        let outcome = run(&Workers::default(), &Question::Run(argv.clone()), &argv, limit);
        let output = outcome.map(|answer| match answer {
            Answer::Tool(output) => output,
            other => panic!("{other:?}"),
        });
        (output, begun.elapsed())
    }

    fn shell(script: &str, limit: Duration) -> (Result<ToolOutput, HostError>, Duration) {
        ask(&["sh", "-c", script], limit)
    }

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(300);
    /// Far from both.
    const BETWEEN: Duration = Duration::from_secs(20);

    #[test]
    fn status_and_outputs_come_back_apart() {
        let (output, _) = shell("printf out; printf err >&2; exit 3", LONG);
        let expected = ToolOutput { status: Some(3), stdout: b"out".to_vec(), stderr: b"err".to_vec() };
        assert_eq!(output.unwrap(), expected);
        assert_eq!(shell("kill -9 $$", LONG).0.unwrap().status, None);
    }

    #[test]
    fn the_environment_is_two_words_and_there_is_no_input() {
        let (output, _) = ask(&["env"], LONG);
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin"]);
        assert_eq!(ask(&["cat"], LONG).0.unwrap().stdout, b"");
    }

    #[test]
    fn only_plain_names_are_looked_for() {
        let kind = |argv: &[&str]| ask(argv, LONG).0.unwrap_err().kind;
        assert_eq!(kind(&[]), HostErrorKind::NotSupported);
        assert_eq!(kind(&["/bin/sh"]), HostErrorKind::NotSupported);
        assert_eq!(kind(&["../bin/sh"]), HostErrorKind::NotSupported);
        assert_eq!(kind(&["echo", "a\0b"]), HostErrorKind::NotSupported);
        let error = ask(&["no-such-tool-anywhere"], LONG).0.unwrap_err();
        assert_eq!(
            (error.kind, error.to_string().as_str()),
            (HostErrorKind::ToolMissing, "cannot run no-such-tool-anywhere: no such program",)
        );
    }

    #[test]
    fn a_tool_that_sleeps_is_ended_at_its_limit() {
        let (output, took) = ask(&["sleep", "1000"], SHORT);
        let error = output.unwrap_err();
        assert_eq!((error.kind, error.cause.as_str()), (HostErrorKind::TimedOut, "no answer within 0.3 s"));
        assert!(took < BETWEEN, "{took:?}");
    }

    /// Whether a process with this number is there and no zombie.
    fn lives(pid: &str) -> bool {
        let status = ask(&["cat", &format!("/proc/{pid}/stat")], LONG).0.unwrap().stdout;
        let status = String::from_utf8(status).unwrap();
        status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
    }

    #[test]
    fn one_that_ignores_the_asking_is_killed_with_all_it_started() {
        let temp = tempfile::NamedTempFile::new().unwrap();
        let path = temp.path().display();
        let script = format!("trap '' TERM; sleep 1000 & echo $! >{path}; while :; do sleep 1000; done");
        let (output, took) = shell(&script, SHORT);
        assert_eq!(output.unwrap_err().kind, HostErrorKind::TimedOut);
        assert!(took < BETWEEN, "{took:?}");
        let pid = String::from_utf8(ask(&["cat", &path.to_string()], LONG).0.unwrap().stdout).unwrap();
        let until = Instant::now() + BETWEEN;
        while lives(pid.trim()) {
            assert!(Instant::now() < until, "the grandchild lives");
        }
    }

    #[test]
    fn a_grandchild_that_left_the_group_and_holds_the_output_is_not_waited_for() {
        // setsid(1) takes it out of reach of the killing
        let (output, took) = shell("trap '' TERM; setsid sleep 30 & exit 0", SHORT);
        assert_eq!(output.unwrap_err().kind, HostErrorKind::TimedOut);
        assert!(took < BETWEEN, "{took:?}");
    }

    #[test]
    fn an_output_without_end_is_too_large_and_not_cut() {
        let (output, took) = ask(&["head", "-c", "100000000", "/dev/zero"], LONG);
        let error = output.unwrap_err();
        assert_eq!(
            (error.kind, error.cause.as_str()),
            (HostErrorKind::TooLarge, "larger than the limit of 16777216 bytes",)
        );
        assert!(took < BETWEEN, "{took:?}");
        assert_eq!(shell("yes >&2", LONG).0.unwrap_err().kind, HostErrorKind::TooLarge);
        let just = ask(&["head", "-c", "16777216", "/dev/zero"], LONG).0.unwrap();
        assert_eq!(just.stdout.len(), 16 << 20);
    }
}
