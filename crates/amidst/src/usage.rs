//! Processor time and memory of the process, and the memory of the machine.

use std::sync::OnceLock;

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// The most threads that a user may request. No machine has so many cores, and each thread takes memory.
pub const MOST_THREADS: usize = 1024;

/// Processor time of all threads so far, in seconds; `None` if the system does not report it.
pub fn cpu_seconds() -> Option<f64> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;
        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        Some((usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6)
    }
    #[cfg(not(unix))]
    None
}

/// The peak memory of the process in bytes; `None` if the system does not report it.
pub fn peak_memory_bytes() -> Option<u64> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
        getrusage(UsageWho::RUSAGE_SELF).ok().map(|usage| usage.max_rss().unsigned_abs() * unit)
    }
    #[cfg(not(unix))]
    None
}

/// The memory that the process can use, in bytes: that of the machine, or the limit of its container (cgroup).
pub fn machine_memory_bytes() -> Option<u64> {
    static BYTES: OnceLock<Option<u64>> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(memory).ok()?;
        let limit = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
        Some(system.total_memory().min(limit)).filter(|bytes| *bytes > 0)
    })
}
