//! What a log says of a run above its output: the line that launched it, variables that were set, and which host each rank is on.
//!
//! ```text
//! + mpirun -np 2 -H node01,node02 -x UCX_MAX_RNDV_RAILS=1 ./osu_bw
//! [0] MPI startup(): 0       12475    node01    {0,1,2,3}
//! [node01:12345] MCW rank 0 bound to socket 0[core 0[hwt 0]]: [B/.]
//! Data for node: node01  Num slots: 1
//! ```
//!
//! From the manuals of Open MPI, MPICH, Intel MPI and Slurm, and from logs in public threads.

use super::table::{Context, MOST_RANKS};
use crate::io::slurm;

/// Programs that launch others.
const LAUNCHERS: [&str; 14] = [
    "mpirun",
    "mpiexec",
    "mpiexec.hydra",
    "mpirun_rsh",
    "orterun",
    "prterun",
    "prun",
    "srun",
    "aprun",
    "jsrun",
    "ibrun",
    "flux",
    "mpiexec.mpich",
    "mpirun.openmpi",
];
/// Programs that call another on certain cores, or as another user.
const WRAPPERS: [&str; 6] = ["taskset", "numactl", "sudo", "env", "nice", "chrt"];
/// Options that say how many ranks there are.
const RANKS: [&str; 7] = ["-np", "--np", "-n", "--n", "--ntasks", "-c", "--nrs"];
/// Options that say how many ranks a host has.
const PER_HOST: [&str; 8] =
    ["-N", "-npernode", "--npernode", "-ppn", "--ppn", "--ntasks-per-node", "-perhost", "--tasks-per-node"];
/// Options that list hosts.
const HOSTS: [&str; 7] = ["-H", "-host", "--host", "-hosts", "--hosts", "-w", "--nodelist"];
/// Options of programs that say what is repeated, and how often: runs that differ in nothing else are alike.
const SIZES: [&str; 18] = [
    "-b", "-e", "-f", "-n", "-i", "-w", "-c", "-s", "-m", "-a", "-D", "-p", "-x", "-C", "-I", "-S", "-J",
    "--iters",
];
/// Parts of the names of variables that do not change what is measured.
const OTHER_VARIABLES: [&str; 10] =
    ["PATH", "HOSTFILE", "DEBUG", "LOG", "VERBOSE", "OUTPUT", "PWD", "HOME", "JOB", "_DIR"];

/// A program as a line called it.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Without its folder.
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
}

impl Call {
    /// The value of an option that has one: `-s 64`, `-s=64`, `-s64`.
    pub(super) fn value(&self, option: &str) -> Option<&str> {
        let at = self.arguments.iter().position(|word| word.starts_with(option))?;
        match self.arguments[at][option.len()..].trim_start_matches('=') {
            "" => self.arguments.get(at + 1).map(String::as_str),
            joined => Some(joined),
        }
    }
}

/// What is known of the runs that follow.
#[derive(Debug, Default)]
pub(super) struct Launch {
    context: Context,
    /// Variables that were set in lines of their own.
    exported: Vec<String>,
    /// The program that was called last, and its arguments.
    pub(super) call: Option<Call>,
    /// The host whose ranks `--display-map` lists.
    mapped: Option<String>,
    /// A run has begun since the last line about ranks.
    is_used: bool,
    /// A line has launched runs, and none has begun since.
    is_waiting: bool,
    /// Launches above the last run differ, with none between.
    is_doubtful: bool,
}

impl Launch {
    /// Takes a line that belongs to no result; whether it says something of a run.
    pub(super) fn take(&mut self, text: &str) -> bool {
        if let Some((rank, host)) = self.rank_of(text) {
            self.place(rank, host);
            return true;
        }
        let text = text.trim_start_matches(['+', '$', '#', ' ']);
        if let Some(variable) = text.strip_prefix("export ").map(unquoted).filter(|word| is_variable(word)) {
            let name = variable.split('=').next().unwrap_or_default();
            self.exported.retain(|known| known.split('=').next() != Some(name));
            self.exported.push(variable);
            let hosts = std::mem::take(&mut self.context.hosts);
            self.launched(Context { hosts, ..Context::default() });
            return true;
        }
        self.command(text)
    }

    /// What is known of a run that begins now.
    pub(super) fn context(&mut self) -> &mut Context {
        &mut self.context
    }

    /// A run has begun.
    pub(super) fn has_begun(&mut self) {
        self.is_used = true;
        self.is_waiting = false;
    }

    /// Whether lines launched runs differently before one of them began: which of them is which, nothing says.
    pub(super) fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }

    fn launched(&mut self, mut context: Context) {
        context.settings.extend(self.exported.iter().cloned());
        context.settings.retain(|word| is_telling(word));
        context.settings.sort_unstable();
        context.settings.dedup();
        self.context = context;
        self.is_used = false;
    }

    /// A rank and its host, as launchers report them.
    fn rank_of(&mut self, text: &str) -> Option<(u32, String)> {
        if let Some((_, rest)) = text.split_once("MPI startup(): ") {
            let mut words = rest.split_whitespace();
            let (rank, _pid, host) =
                (words.next()?.parse().ok()?, words.next()?.parse::<u64>().ok()?, words.next()?);
            return Some((rank, host.to_owned()));
        }
        if let Some(rest) = text.strip_prefix('[') {
            let (host, rest) = rest.split_once(':')?;
            let (_, rest) = rest.split_once("] ")?;
            let rest = rest.strip_prefix("MCW ").unwrap_or(rest);
            let rest = rest.strip_prefix("rank ").or_else(|| rest.strip_prefix("Rank "))?;
            let (rank, rest) = rest.split_once(' ')?;
            let is_bound = rest.starts_with("bound") || rest.starts_with("is not bound");
            return Some((rank.parse().ok()?, host.to_owned())).filter(|_| is_bound);
        }
        if let Some(rest) = text.strip_prefix("Data for node: ") {
            self.mapped = rest.split_whitespace().next().map(str::to_owned);
            return None;
        }
        let (_, rest) = text.split_once("Process rank: ")?;
        let host = self.mapped.clone()?;
        Some((rest.split_whitespace().next()?.parse().ok()?, host))
    }

    fn place(&mut self, rank: u32, host: String) {
        if self.is_used {
            self.context.hosts.clear();
            self.is_used = false;
        }
        if rank < MOST_RANKS {
            let at = rank as usize;
            if at >= self.context.hosts.len() {
                self.context.hosts.resize(at + 1, String::new());
            }
            self.context.hosts[at] = host;
        }
    }

    /// The line that launches a program; false if it is none.
    fn command(&mut self, text: &str) -> bool {
        let words = words(text);
        let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
        let Some(at) = words.iter().position(|word| LAUNCHERS.contains(&base(word).as_str())) else {
            return self.program_alone(&words, base);
        };
        // A sentence may name a launcher; a command has options or a program after it.
        if words.len() < at + 2
            || !words[at + 1..].iter().any(|word| word.starts_with('-') || is_program(&base(word)))
        {
            return false;
        }
        let mut context = Context::default();
        context.settings.extend(words[..at].iter().filter(|word| is_variable(word)).cloned());
        let (mut ranks, mut per_host, mut nodes, mut hosts) = (None, None, None, Vec::new());
        let is_srun = matches!(base(&words[at]).as_str(), "srun" | "flux" | "aprun");
        let mut rest = words[at + 1..].iter().peekable();
        self.call = None;
        while let Some(word) = rest.next() {
            let (option, own) = match word.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            let mut value = || own.clone().or_else(|| rest.next().cloned()).unwrap_or_default();
            if self.call.is_none() && is_program(&base(word)) {
                self.call = Some(Call { program: base(word), arguments: rest.clone().cloned().collect() });
            } else if let Some(call) = &self.call {
                let is_size = SIZES.contains(&option) && !call.program.starts_with("osu_") || option == "-m";
                if word.starts_with('-') && !is_size {
                    let next =
                        rest.peek().filter(|next| own.is_none() && is_value(next)).map(|next| next.as_str());
                    context.settings.push(next.map_or_else(|| word.clone(), |next| format!("{word}={next}")));
                }
            } else if is_srun && option == "-N" || matches!(option, "--nodes" | "-nnodes") {
                nodes = value().parse().ok();
            } else if RANKS.contains(&option) && !(is_srun && option == "-c") {
                ranks = value().parse().ok();
            } else if PER_HOST.contains(&option) {
                per_host = value().parse::<u32>().ok();
            } else if option == "--map-by" {
                let how = value();
                per_host =
                    how.strip_prefix("ppr:").and_then(|how| how.split(':').next()?.parse().ok()).or(per_host);
            } else if HOSTS.contains(&option) {
                hosts = host_list(&value());
            } else if matches!(option, "-x" | "--export" | "-env" | "-genv" | "--env") {
                let text = value();
                if is_variable(&text) || text.starts_with("ALL,") {
                    context
                        .settings
                        .extend(text.split(',').filter(|word| is_variable(word)).map(str::to_owned));
                } else if matches!(option, "-env" | "-genv") {
                    let value = rest.next().cloned().unwrap_or_default();
                    context.settings.push(format!("{text}={value}"));
                }
            } else if matches!(option, "--mca" | "-mca" | "--prtemca" | "--gmca") {
                let (key, value) = (value(), rest.next().cloned().unwrap_or_default());
                context.settings.push(format!("{key}={value}"));
            } else if is_variable(word) {
                context.settings.push(word.clone());
            }
        }
        let count = (hosts.len() as u32).max(nodes.unwrap_or(0));
        context.ranks = ranks
            .or_else(|| per_host.filter(|_| count > 0)?.checked_mul(count))
            .or_else(|| Some(count).filter(|&count| count > 1))
            .filter(|&ranks| ranks > 0);
        if context.ranks == Some(hosts.len() as u32) {
            context.hosts = hosts;
        }
        let before = (self.context.ranks, self.context.hosts.clone(), self.context.settings.clone());
        self.launched(context);
        let now = (self.context.ranks, self.context.hosts.clone(), self.context.settings.clone());
        self.is_doubtful = self.is_waiting && (self.is_doubtful || before != now);
        self.is_waiting = true;
        true
    }

    /// A benchmark called without a launcher: only its name is known.
    fn program_alone(&mut self, words: &[String], base: impl Fn(&str) -> String) -> bool {
        let at = words.iter().position(|word| !is_variable(word)).unwrap_or(0);
        // A prompt may stand before it.
        let is_bound = words.iter().skip(at).take(3).any(|word| WRAPPERS.contains(&base(word).as_str()));
        let most = at + if is_bound { 12 } else { 3 };
        let Some(at) = (at..words.len().min(most)).find(|&at| is_program(&base(&words[at]))) else {
            return false;
        };
        let settings = words.iter().filter(|word| is_variable(word)).cloned();
        self.call = Some(Call { program: base(&words[at]), arguments: words[at + 1..].to_vec() });
        self.launched(Context { settings: settings.collect(), ..Context::default() });
        true
    }
}

/// Whether this is the name of a benchmark.
fn is_program(name: &str) -> bool {
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let is_rdma = ["ib_", "raw_ethernet_"].iter().any(|start| name.starts_with(start))
        && ["_bw", "_lat"].iter().any(|end| name.ends_with(end));
    is_word
        && (name.starts_with("osu_")
            || name.starts_with("IMB-")
            || name.trim_end_matches("_mpi").ends_with("_perf") && name.len() > 5
            || is_rdma
            || matches!(
                name,
                "ucx_perftest"
                    | "qperf"
                    | "sockperf"
                    | "mpiGraph"
                    | "clusterkit"
                    | "network_load_test"
                    | "network_test"
            )
            || name.starts_with("NP")
                && name.len() > 2
                && name[2..].bytes().all(|byte| byte.is_ascii_lowercase()))
}

fn is_variable(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && name.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Whether a variable or an option may change what is measured.
fn is_telling(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    // Numbers of jobs and names of files differ in every run.
    !OTHER_VARIABLES.iter().any(|part| name.contains(part))
        && !word.contains('/')
        && word.len() < 120
        && !word.starts_with("btl_base_verbose")
}

/// Whether this is the value of an option before it, and not a host: a number, a size, a device.
fn is_value(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let is_size = digits > 0 && matches!(&word[digits..], "" | "K" | "M" | "G" | "k" | "m" | "g");
    let is_device = ["mlx", "hfi", "bnxt", "irdma", "qib"].iter().any(|start| word.starts_with(start));
    is_size || is_device
}

fn host_list(text: &str) -> Vec<String> {
    let names = slurm::expand(text).unwrap_or_default();
    let mut hosts = Vec::new();
    for name in names {
        let (host, slots) = name.split_once(':').unwrap_or((&name, "1"));
        let slots = slots.parse::<usize>().unwrap_or(1).min(4096);
        hosts.extend(std::iter::repeat_n(host.to_owned(), slots));
    }
    hosts
}

fn unquoted(text: &str) -> String {
    text.trim().replace(['"', '\''], "")
}

/// The words of a command, without quotes.
fn words(text: &str) -> Vec<String> {
    text.split_whitespace().take(400).map(unquoted).filter(|word| !word.is_empty() && word != "\\").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(text: &str) -> Context {
        let mut launch = Launch::default();
        for line in text.lines() {
            launch.take(line);
        }
        launch.context().clone()
    }

    #[test]
    fn a_launch_says_ranks_hosts_and_settings() {
        for (line, ranks, hosts, settings) in [
            ("mpirun -np 16 ./osu_alltoall", Some(16), "", ""),
            ("+ srun --ntasks=24 --label osu_alltoall -m 8", Some(24), "", ""),
            ("$ srun -N 4 --ntasks-per-node=8 ./osu_alltoall", Some(32), "", ""),
            (
                "mpirun -np 2 -H node1,node2 -x UCX_MAX_RNDV_RAILS=2 osu_bw",
                Some(2),
                "node1 node2",
                "UCX_MAX_RNDV_RAILS=2",
            ),
            ("mpirun --host a:1,b:1 osu_bw", Some(2), "a b", ""),
            (
                "PSM2_MULTIRAIL=1 mpiexec -n 2 -genv I_MPI_FABRICS shm:ofi IMB-MPI1 PingPong",
                Some(2),
                "",
                "I_MPI_FABRICS=shm:ofi PSM2_MULTIRAIL=1",
            ),
            (
                "mpirun -n 16 --map-by ppr:8:node --mca pml ucx all_reduce_perf -b 8 -e 1G -g 1",
                Some(16),
                "",
                "-g=1 pml=ucx",
            ),
            ("srun -w node[1-2] -N2 osu_bw", Some(2), "node1 node2", ""),
        ] {
            let found = context(line);
            assert_eq!(found.ranks, ranks, "{line}");
            assert_eq!(found.hosts.join(" "), hosts, "{line}");
            assert_eq!(found.settings.join(" "), settings, "{line}");
        }
    }

    #[test]
    fn launchers_report_the_hosts_of_ranks() {
        for text in [
            "[0] MPI startup(): Rank    Pid      Node name  Pin cpu\n[0] MPI startup(): 0       12475    a    {0,1}\n[0] MPI startup(): 1  12458  b  {0,1}",
            "[a:123] MCW rank 0 bound to socket 0[core 0[hwt 0]]: [B/.]\n[b:7] MCW rank 1 bound to socket 0",
            "[a:123] Rank 0 bound to package[0][core:0]\n[b:7] Rank 1 is not bound (or bound to all available processors)",
            " Data for node: a\tNum slots: 1\n  Process OMPI jobid: [7,1] App: 0 Process rank: 0 Bound: N/A\nData for node: b\tNum slots: 1\n Process OMPI jobid: [7,1] App: 0 Process rank: 1 Bound: N/A",
        ] {
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            assert_eq!(context(&lines.join("\n")).hosts, ["a", "b"], "{text}");
        }
    }

    #[test]
    fn a_program_is_called_on_cores_of_its_own() {
        let mut launch = Launch::default();
        assert!(launch.take("+ taskset -c 8 sockperf tp --tcp -m 1200"));
        assert_eq!(launch.call.as_ref().and_then(|call| call.value("-m")), Some("1200"));
        assert!(launch.take("numactl -C 24,26 --localalloc ib_send_bw -d mlx5_1"));
        assert_eq!(launch.call.map(|call| call.program), Some("ib_send_bw".to_owned()));
    }

    #[test]
    fn a_sentence_about_mpirun_launches_nothing() {
        let mut launch = Launch::default();
        assert!(!launch.take("mpirun noticed that process rank 0 exited"));
        assert!(!launch.take("the variable is set"));
    }
}
