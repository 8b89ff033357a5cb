//! Long calls that Ctrl-C ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

/// Runs `work` without the GIL. Ten times a second Python may handle its signals; when one raises,
/// `stop` is set, `work` is waited for, and the exception goes on.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let raised = py.detach(|| {
        let (send, receive) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let send = send; // dropped with the thread, whatever becomes of it
                send.send(work(&stop))
            });
            loop {
                match receive.recv_timeout(Duration::from_millis(100)) {
                    Ok(result) => return Ok(Some(result)),
                    Err(RecvTimeoutError::Disconnected) => return Ok(None),
                    Err(RecvTimeoutError::Timeout) => {
                        #[expect(clippy::redundant_closure_for_method_calls, reason = "lifetimes need it")]
                        let signals = Python::attach(|py| py.check_signals());
                        if let Err(error) = signals {
                            stop.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                    }
                }
            }
        })
    });
    raised?.ok_or_else(|| pyo3::exceptions::PyRuntimeError::new_err("the computation ended without a result"))
}
