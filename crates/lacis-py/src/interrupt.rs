//! Long calls that Ctrl-C ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

/// Runs `work` without the GIL. Ten times a second Python may handle its signals; when one raises,
/// `stop` is set, `work` is waited for, and the exception goes on.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    watched(py, work).and_then(|(result, raised)| raised.map_or(Ok(result), Err))
}

/// As [`interruptible`], but what `work` has when it is stopped is the result, and Ctrl-C goes no
/// further. Other exceptions do.
pub(crate) fn interruptible_with_result<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    match watched(py, work)? {
        (_, Some(raised)) if !raised.is_instance_of::<PyKeyboardInterrupt>(py) => Err(raised),
        (result, _) => Ok(result),
    }
}

/// What `work` yields, and the exception that stopped it, if one did.
fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<(T, Option<PyErr>)> {
    let stop = AtomicBool::new(false);
    let (result, raised) = py.detach(|| {
        let (send, receive) = channel();
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let send = send; // dropped with the thread, whatever becomes of it
                send.send(work(&stop))
            });
            let mut raised = None;
            loop {
                match receive.recv_timeout(Duration::from_millis(100)) {
                    Ok(result) => return (Some(result), raised),
                    Err(RecvTimeoutError::Disconnected) => match worker.join() {
                        Err(panic) => std::panic::resume_unwind(panic),
                        Ok(_) => return (None, raised),
                    },
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                        #[expect(clippy::redundant_closure_for_method_calls, reason = "lifetimes need it")]
                        let signals = Python::attach(|py| py.check_signals());
                        if let Err(error) = signals {
                            stop.store(true, Ordering::Relaxed);
                            raised = Some(error);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    });
    match result {
        Some(result) => Ok((result, raised)),
        None => {
            Err(raised.unwrap_or_else(|| PyRuntimeError::new_err("the computation ended without a result")))
        }
    }
}
