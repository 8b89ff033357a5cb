//! Paths along the entries for one destination, followed from every switch.

use crate::sm::hop_matrix::NO_HOPS;

/// What a switch does with packets for the destination.
pub(in crate::routing) enum Step<T> {
    /// It sends them to another switch.
    To(usize),
    /// The path ends here, as given.
    End(T),
}

/// By switch, how its path ends. `circle` is the end of paths that come back to a switch; `before` makes of the end of a
/// path that of the path which is one switch longer.
pub(in crate::routing) fn ends<T: Copy>(
    switches: usize,
    circle: T,
    step: impl Fn(usize) -> Step<T>,
    before: impl Fn(usize, T) -> T,
) -> Vec<T> {
    let mut ends: Vec<Option<T>> = vec![None; switches];
    let mut path = Vec::new();
    for start in 0..switches {
        let mut at = start;
        let mut end = loop {
            if let Some(known) = ends[at] {
                break known;
            }
            ends[at] = Some(circle);
            match step(at) {
                Step::To(next) => {
                    path.push(at);
                    at = next;
                }
                Step::End(end) => {
                    ends[at] = Some(end);
                    break end;
                }
            }
        };
        while let Some(switch) = path.pop() {
            end = before(switch, end);
            ends[switch] = Some(end);
        }
    }
    ends.into_iter().map(|end| end.unwrap_or(circle)).collect()
}

/// Hops from every switch; [`NO_HOPS`] where the path does not arrive, or is too long for a byte.
pub(in crate::routing) fn hops(switches: usize, step: impl Fn(usize) -> Step<u8>) -> Vec<u8> {
    ends(switches, NO_HOPS, step, |_, hops| if hops >= NO_HOPS - 2 { NO_HOPS } else { hops + 1 })
}
