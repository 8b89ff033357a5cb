//! Files that list the hosts of a job, as schedulers and launchers write them.
//!
//! ```text
//! node0001 slots=48                                     Open MPI
//! node0002:48                                           MPICH, Intel MPI (`binding=…` may follow)
//! node0003:48:mlx5_0                                    MVAPICH2
//! rank 0=node0004 slot=0:0                              a rank file of Open MPI
//! (node0005:ncpus=48:mpiprocs=48)+(node0006:ncpus=48)   exec_vnode of PBS
//! node0007/0*48+node0008/0*48                           exec_host of PBS
//! node0009 48 node0010 48                               LSB_MCPU_HOSTS of LSF, the name of the variable before it or not
//! node0011 node0012                                     several hosts in a line, as LSB_HOSTS has them
//! JobId=7 … NodeList=node[0013-0014] …                  a job as `scontrol show job` prints it
//! ```
//!
//! and what [`slurm::topology`] reads. From the manuals of these programs. A host of a rank file or of PBS is listed once for each
//! rank or chunk; here it is where it is listed first.

use rustc_hash::{FxHashMap, FxHashSet};

use super::listed_names;
use crate::io::{ReadError, slurm};

/// A host and the line that names it, from 1.
type Named = (usize, String);

/// The hosts of a file, or sets of them, each with its line; the first word of a line where the file is of no other kind.
///
/// # Errors
/// When a list of Slurm's is malformed, one of PBS is cut short, or ranks of a rank file are missing.
pub fn host_file(text: &str) -> Result<Vec<Named>, ReadError> {
    if slurm::is_topology(text) {
        return slurm::topology(text.as_bytes());
    }
    if let Some(ranks) = rank_file(text) {
        return ranks.map(each_once);
    }
    if let Some(chunks) = chunks(text) {
        return chunks.map(each_once);
    }
    if let Some(named) = job_record(text) {
        return Ok(named);
    }
    let mut rows = rows(text);
    let listed = listed_names(text).into_iter().flat_map(|(line, word)| {
        let names = rows.remove(&line).unwrap_or_else(|| vec![without_slots(&word).to_owned()]);
        names.into_iter().map(move |name| (line, name))
    });
    Ok(listed.collect())
}

/// Variables of schedulers that hold hosts.
const VARIABLES: [&str; 6] = [
    "LSB_MCPU_HOSTS",
    "LSB_HOSTS",
    "SLURM_JOB_NODELIST",
    "SLURM_NODELIST",
    "SLURM_STEP_NODELIST",
    "SLURM_STEP_NODE_LIST",
];
/// Most ranks that a line may stand for.
const MOST: usize = 1 << 20;

/// By line that has several hosts, or a variable: its hosts, those with a number after them as often as it says.
fn rows(text: &str) -> FxHashMap<usize, Vec<String>> {
    let mut found = FxHashMap::default();
    for (line, raw) in (1..).zip(text.lines()) {
        let s = raw.split('#').next().unwrap_or_default().trim();
        let s = s.strip_prefix("export ").unwrap_or(s).trim_start();
        let variable = s.split_once('=').filter(|(name, _)| VARIABLES.contains(name));
        let is_variable = variable.is_some();
        let value = variable.map_or(s, |(_, value)| value.trim_matches(['"', '\'', ' ']));
        let words: Vec<&str> = value.split_whitespace().collect();
        let hosts = counted(&words).or_else(|| {
            let are_hosts = words.len() > 1 && words[1..].iter().all(|word| is_alike(words[0], word));
            (is_variable || are_hosts).then(|| words.iter().map(|&word| word.to_owned()).collect())
        });
        if let Some(hosts) = hosts.filter(|hosts| !hosts.is_empty()) {
            found.insert(line, hosts);
        }
    }
    found
}

/// `node1 48 node2 48`: each host as often as the number after it says; none of one host alone, whose number may be a core's.
fn counted(words: &[&str]) -> Option<Vec<String>> {
    if words.len() < 4 || !words.len().is_multiple_of(2) {
        return None;
    }
    let mut hosts = Vec::new();
    for pair in words.chunks(2) {
        let is_host = pair[0].bytes().any(|byte| byte.is_ascii_alphabetic());
        let number = pair[1].parse::<usize>().ok().filter(|&number| number > 0 && is_host)?;
        if hosts.len() + number > MOST {
            return None;
        }
        hosts.extend(std::iter::repeat_n(pair[0].to_owned(), number));
    }
    Some(hosts)
}

/// Whether two words are names of hosts of one series: equal, or equal but for their numbers or their last letter.
fn is_alike(first: &str, other: &str) -> bool {
    let shape = |text: &str| -> String {
        let mut out = String::new();
        for letter in text.chars() {
            let letter = if letter.is_ascii_digit() { '0' } else { letter };
            if letter != '0' || !out.ends_with('0') {
                out.push(letter);
            }
        }
        out
    };
    let is_name = |text: &str| {
        (text.bytes().any(|byte| byte.is_ascii_alphabetic()) || text.matches('.').count() == 3)
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
    };
    let without_last = |text: &str| text.chars().rev().skip(1).collect::<String>();
    is_name(first)
        && is_name(other)
        && (shape(first) == shape(other)
            || first.len() > 2 && first.len() == other.len() && without_last(first) == without_last(other))
}

/// The hosts of a file in the order of ranks: of a rank file one for each rank.
///
/// # Errors
/// As [`host_file`].
pub fn hosts_of_ranks(text: &str) -> Result<Vec<Named>, ReadError> {
    match rank_file(text) {
        Some(ranks) => ranks,
        None => host_file(text),
    }
}

/// A host without the number of its slots and its adapter: `node1:48:mlx5_0`. Other names with colons stay.
fn without_slots(word: &str) -> &str {
    let Some((host, rest)) = word.split_once(':') else { return word };
    let (slots, adapter) = rest.split_once(':').unwrap_or((rest, "a"));
    let is_slots = !slots.is_empty() && slots.len() < 7 && slots.bytes().all(|byte| byte.is_ascii_digit());
    let is_adapter =
        adapter.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) && !adapter.contains(':');
    // `2:1` and the like are no hosts.
    if is_slots && is_adapter && !host.is_empty() { host } else { word }
}

/// The hosts by rank of a rank file; none if it is none.
fn rank_file(text: &str) -> Option<Result<Vec<Named>, ReadError>> {
    let mut found: Vec<(u32, Named)> = Vec::new();
    for (line, raw) in (1..).zip(text.lines()) {
        let s = raw.split('#').next().unwrap_or_default().trim();
        if s.is_empty() {
            continue;
        }
        let (rank, host) = s.strip_prefix("rank")?.split_once('=')?;
        let host = host.split_whitespace().next()?;
        found.push((rank.trim().parse().ok()?, (line, host.to_owned())));
    }
    if found.is_empty() {
        return None;
    }
    if let Some((_, (line, host))) = found.iter().find(|(_, (_, host))| host.starts_with("+n")) {
        let reason = "a host by its place in the job's list, which is not in this file";
        return Some(Err(ReadError::at(*line, reason, host)));
    }
    found.sort_by_key(|(rank, (line, _))| (*rank, *line));
    let gap = (0..).zip(&found).find(|(at, (rank, _))| at != rank);
    Some(match gap {
        Some((at, (rank, (line, host)))) => {
            let reason = if *rank < at {
                format!("rank {rank} is listed twice")
            } else {
                format!("rank {at} is missing")
            };
            Err(ReadError::at(*line, reason, host))
        }
        None => Ok(found.into_iter().map(|(_, named)| named).collect()),
    })
}

/// The hosts of `exec_vnode` or `exec_host`, as `qstat -f` prints them over several lines; none if there is no such list.
///
/// # Errors
/// When the list is cut short.
fn chunks(text: &str) -> Option<Result<Vec<Named>, ReadError>> {
    let mut found = Vec::new();
    let mut list = String::new();
    let mut first = 0;
    // The line before belongs to the list.
    let mut is_open = false;
    for (line, raw) in (1..).zip(text.lines()) {
        let s = raw.trim();
        let (key, value) = s.split_once(" = ").unwrap_or(("", s));
        // A list under its key may be broken within its last name.
        let is_start = match key {
            "exec_vnode" | "exec_host" => true,
            "" => value.starts_with('(') && value.contains(':') || is_exec_host(value),
            _ => false,
        };
        // A list goes on where it was broken: within a name, too.
        let goes_on = is_open
            && key.is_empty()
            && !s.is_empty()
            && (raw.starts_with(['\t', ' ']) || list.ends_with('+'));
        if goes_on {
            list.push_str(s);
        } else if is_start && list.is_empty() {
            first = line;
            value.clone_into(&mut list);
            is_open = true;
        } else {
            is_open = false;
            // `Job Id: 12.server` stands above what `qstat -f` prints.
            let is_other = !s.is_empty() && !s.starts_with('#') && !s.starts_with("Job Id:");
            if is_other && list.is_empty() && key.is_empty() {
                return None;
            }
        }
    }
    for chunk in list.split('+') {
        let chunk = chunk.trim_matches(['(', ')', ' ']);
        let host = chunk.split([':', '/']).next().unwrap_or_default();
        // `node1[0]` is a part of node1.
        let host =
            host.strip_suffix(']').and_then(|host| host.split_once('[')).map_or(host, |(host, _)| host);
        if !host.is_empty() {
            found.push((first, host.to_owned()));
        }
    }
    let count = |bracket: char| list.matches(bracket).count();
    let is_cut = count('(') != count(')') || list.ends_with('+');
    let end = list.char_indices().rev().nth(40).map_or(0, |(at, _)| at);
    let cut = || ReadError::at(first, "the list of hosts is cut short", &list[end..]);
    (!found.is_empty()).then(|| if is_cut { Err(cut()) } else { Ok(found) })
}

/// The hosts of a job that `scontrol show job` prints: of its `NodeList`, not of those that it asked for or excludes.
fn job_record(text: &str) -> Option<Vec<Named>> {
    let words = || {
        (1..).zip(text.lines()).flat_map(|(line, raw)| raw.split_whitespace().map(move |word| (line, word)))
    };
    words().next().filter(|(_, word)| word.starts_with("JobId="))?;
    let (line, list) = words().find_map(|(line, word)| Some((line, word.strip_prefix("NodeList=")?)))?;
    (!list.is_empty() && list != "(null)").then(|| vec![(line, list.to_owned())])
}

/// `node1/0*48+node2/0*48`.
fn is_exec_host(text: &str) -> bool {
    !text.is_empty()
        && text.split('+').all(|chunk| {
            chunk.split_once('/').is_some_and(|(host, cores)| {
                !host.is_empty() && cores.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
            })
        })
}

fn each_once(named: Vec<Named>) -> Vec<Named> {
    let mut seen = FxHashSet::default();
    named.into_iter().filter(|(_, name)| seen.insert(name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        let all: Vec<String> = host_file(text).unwrap().into_iter().map(|(_, name)| name).collect();
        all.join(" ")
    }

    #[test]
    fn a_list_that_is_cut_short_is_refused_and_a_job_has_its_own_list() {
        for text in [
            "exec_vnode = (n1:ncpus=48)+(n2:ncp",
            "(n1:ncpus=48)+(n2:ncpus=48)+",
            "exec_host = n1/0*48+n2/0*48+",
        ] {
            let why = host_file(text).unwrap_err().to_string();
            assert!(why.starts_with("line 1: the list of hosts is cut short: "), "{why}");
        }
        let job =
            "JobId=7 JobName=x\n   ReqNodeList=(null) ExcNodeList=n9\n   NodeList=n[1-2]\n   BatchHost=n1\n";
        assert_eq!(names(job), "n[1-2]");
    }

    #[test]
    fn every_launcher_and_scheduler_names_its_hosts() {
        for text in [
            "n1\nn2\nn7\n",
            "n1 slots=48\nn2 slots=48 max_slots=48\n# c\nn7\n",
            "n1:48\nn2:48\nn7:48  # comment\n",
            "n1:4 binding=map=0,2,4,6\nn2:4\nn7:1\n",
            "n1:48:mlx5_0\nn2:48:mlx5_0\nn7:48:mlx5_0\n",
            "rank 0=n1 slot=0:0\nrank 1=n1 slot=0:1\nrank 2=n2 slot=1:*\nrank 3=n7 slot=1-2\n",
            "rank 2=n7 slot=1\nrank 0=n1 slot=0\nrank 1=n2 slot=0\n",
            "(n1:ncpus=48:mpiprocs=48)+(n2:ncpus=48:mpiprocs=48)+(n7:ncpus=1)\n",
            "(n1:ncpus=24+n2:ncpus=24)+(n7:ncpus=1)+(n1:ncpus=1)\n",
            "n1/0*48+n2/0*48+n7/1\n",
            "    exec_vnode = (n1:ncpus=48:mpiprocs=48)+(n2:ncpus=4\n\t8:mpiprocs=48)+(n7:ncpus=1)\n    Hold_Types = n\n",
            "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n7\n",
            "Job Id: 12.pbs\n    Job_Owner = u@login\n    exec_host = n1/0*48+n2/0*48+n\n\t7/0\n    exec_vnode = (n1:ncpus=48)+(n2:ncpus=48)+(n7:ncpus=1:mem\n\t=1kb)\n    Hold_Types = n\n",
            "(n1[0]:ncpus=4+n1[1]:ncpus=4)+(n2[0]:ncpus=8)+(n7[1]:ncpus=1)\n",
            "n1 n2 n7\n",
            "export LSB_HOSTS=\"n1 n2 n7\"\n",
            "SLURM_JOB_NODELIST=n1\nn2\nn7\n",
        ] {
            assert_eq!(names(text), "n1 n2 n7", "{text}");
        }
    }

    #[test]
    fn hosts_with_a_number_after_each_are_listed_as_often() {
        assert_eq!(names("LSB_MCPU_HOSTS=\"a1 2 b7 1\"\n"), "a1 a1 b7");
        assert_eq!(names("hostA 1 hostB 2\n"), "hostA hostB hostB");
        assert_eq!(names("SLURM_NODELIST='n[1-3],m4'\n"), "n[1-3],m4");
        // Attributes, cores and addresses after a host are none.
        for text in [
            "n1 0,1,2\nn2 4\n",
            "n1 compute ib\nn2 login\n",
            "n1 8 all.q@n1 UNDEFINED\nn2 8 all.q@n2 UNDEFINED\n",
        ] {
            assert_eq!(names(text), "n1 n2", "{text}");
        }
        assert_eq!(names("10.0.0.1 10.0.0.2\n"), "10.0.0.1 10.0.0.2");
        assert_eq!(names("10.0.0.1 8\n10.0.0.2 n2 n2.site\n"), "10.0.0.1 10.0.0.2");
    }

    #[test]
    fn names_with_colons_and_sets_stay_as_they_are() {
        assert_eq!(
            names("n[1-3]\n10.0.0.1\nfe80::1\n0x0002c903000a1b2c\n"),
            "n[1-3] 10.0.0.1 fe80::1 0x0002c903000a1b2c"
        );
    }

    #[test]
    fn a_rank_file_has_all_its_ranks_once() {
        for (text, reason) in [
            ("rank 0=n1 slot=0\nrank 2=n2 slot=0\n", "line 2: rank 1 is missing: n2"),
            ("rank 0=n1 slot=0\nrank 0=n2 slot=0\n", "line 2: rank 0 is listed twice: n2"),
            (
                "rank 0=+n0 slot=0\n",
                "line 1: a host by its place in the job's list, which is not in this file: +n0",
            ),
        ] {
            assert_eq!(host_file(text).unwrap_err().to_string(), reason);
        }
        let ranks = hosts_of_ranks("rank 1=n1 slot=0\nrank 0=n1 slot=1\n").unwrap();
        assert_eq!(ranks, [(2, "n1".into()), (1, "n1".into())]);
    }
}
