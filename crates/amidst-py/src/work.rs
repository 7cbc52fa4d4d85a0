//! Work without the interpreter's lock. The thread that called waits, passes progress on, and notices Ctrl-C.

use std::ffi::CString;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use amidst::Setting;
use amidst::pipeline::MOST_THREADS;
use amidst::progress::{Observer, Progress};
use bytesize::ByteSize;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

use crate::error::{argument, exception, unexpected, usage};

/// How often Python hears of the work.
const PULSE: Duration = Duration::from_millis(50);

/// Warnings point to whoever called the function of the package, which called the compiled one.
const STACK_LEVEL: i32 = 2;

/// What the work may take.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    threads: Option<usize>,
    /// In bytes.
    memory: Option<u64>,
}

impl Limits {
    /// So many threads, and memory as it is written: `8GB`, or a number of bytes.
    pub fn new(py: Python, threads: Option<usize>, memory: Option<&str>) -> PyResult<Self> {
        let size = |text: &str| {
            let size = text.parse::<ByteSize>().ok().filter(|size| size.as_u64() > 0);
            let message = || format!("`{text}` is not a size; write a number and a unit, such as 8GB or 512MiB");
            size.map(|size| size.as_u64()).ok_or_else(|| usage(py, &message()))
        };
        Ok(Limits { threads, memory: memory.map(size).transpose()? })
    }
}

impl From<Option<usize>> for Limits {
    fn from(threads: Option<usize>) -> Self {
        Limits { threads, memory: None }
    }
}

/// How the work does.
#[derive(Default)]
struct Watch {
    memory: Option<u64>,
    stage: Mutex<(&'static str, u64)>,
    /// What Python has not been told yet.
    notes: Mutex<Vec<String>>,
    /// How far the stage is, in words, unless Python knows.
    status: Mutex<Option<String>>,
    done: AtomicU64,
    stop: AtomicBool,
    remarks: Mutex<Vec<String>>,
}

impl Observer for Watch {
    fn begin(&self, stage: &'static str, total: u64) {
        if let Ok(mut current) = self.stage.lock() {
            *current = (stage, total);
            self.done.store(0, Ordering::Relaxed);
        }
    }

    fn advance(&self, by: u64) {
        self.done.fetch_add(by, Ordering::Relaxed);
    }

    fn interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn note(&self, text: &str) {
        if let Ok(mut notes) = self.notes.lock() {
            notes.push(format!("note: {text}"));
        }
    }

    fn status(&self, text: &str) {
        if let Ok(mut status) = self.status.lock() {
            *status = Some(format!("status: {text}"));
        }
    }

    fn remark(&self, text: &str, setting: &Setting) {
        let text = format!("{text} (change it by {})", argument(setting));
        if let Ok(mut remarks) = self.remarks.lock()
            && !remarks.contains(&text)
        {
            remarks.push(text);
        }
    }

    fn memory_limit(&self) -> Option<u64> {
        self.memory
    }
}

impl Watch {
    /// Warns of how a table was read.
    fn warn(self, py: Python) -> PyResult<()> {
        let category = py.get_type::<PyUserWarning>();
        for text in self.remarks.into_inner().unwrap_or_default() {
            // The name of a file can have a zero byte in no system that opens it.
            let text = CString::new(text).unwrap_or_default();
            PyErr::warn(py, &category, &text, STACK_LEVEL)?;
        }
        Ok(())
    }

    /// Tells Python how far the work is; fails when it shall stop.
    fn tell(&self, callback: Option<&Py<PyAny>>) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            let Some(callback) = callback else { return Ok(()) };
            let notes = self.notes.lock().map(|mut notes| std::mem::take(&mut *notes)).unwrap_or_default();
            let status = self.status.lock().map(|mut status| status.take()).unwrap_or_default();
            notes.into_iter().chain(status).try_for_each(|text| callback.call1(py, (text, 0, 0)).map(drop))?;
            let (stage, total) = self.stage.lock().map(|current| *current).unwrap_or_default();
            let done = self.done.load(Ordering::Relaxed);
            callback.call1(py, (stage, if total > 0 { done.min(total) } else { done }, total)).map(drop)
        })
    }
}

/// Does the work in a thread of its own, within these limits.
pub fn run<T: Send>(
    py: Python,
    limits: impl Into<Limits>,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(Progress) -> amidst::Result<T> + Send,
) -> PyResult<T> {
    let Limits { threads, memory } = limits.into();
    let pool = match threads {
        Some(0) => return Err(usage(py, "threads must be 1 or more")),
        Some(threads) if threads > MOST_THREADS => {
            return Err(usage(py, &format!("threads can be {MOST_THREADS} at most")));
        }
        Some(threads) => Some(rayon::ThreadPoolBuilder::new().num_threads(threads).build()),
        None => None,
    };
    let pool = pool.transpose().map_err(|e| usage(py, &format!("cannot start the threads: {e}")))?;
    let watch = Watch { memory, ..Watch::default() };
    let (result, raised) = py.detach(|| {
        thread::scope(|scope| {
            let (sender, ended) = channel::<()>();
            let worker = scope.spawn(|| {
                let _ends = sender; // dropped with the thread, whatever becomes of it
                match &pool {
                    Some(pool) => pool.install(|| work(Progress::to(&watch))),
                    None => work(Progress::to(&watch)),
                }
            });
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PULSE) {
                if raised.is_none()
                    && let Err(e) = watch.tell(callback)
                {
                    watch.stop.store(true, Ordering::Relaxed);
                    raised = Some(e);
                }
            }
            (worker.join(), raised)
        })
    });
    if raised.is_none() {
        watch.warn(py)?;
    }
    match (result, raised) {
        (_, Some(raised)) => Err(raised),
        (Ok(result), None) => result.map_err(|e| exception(py, &e)),
        (Err(_), None) => Err(unexpected(&"the work panicked; see standard error")),
    }
}
