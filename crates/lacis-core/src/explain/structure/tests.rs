use super::*;
use crate::traffic::Rng;

/// Uniform from 0 to before 1.
fn uniform(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Normal, by Box and Muller.
fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - uniform(rng)).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
}

/// A square table of samples by a function of sender and receiver; `None` is left out.
fn samples(n: usize, mut value: impl FnMut(usize, usize) -> Option<f64>) -> (Vec<u32>, Vec<u32>, Vec<f64>) {
    let (mut from, mut to, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        for j in 0..n {
            if let Some(value) = value(i, j) {
                from.push(i as u32);
                to.push(j as u32);
                values.push(value);
            }
        }
    }
    (from, to, values)
}

fn found(n: usize, is_rate: bool, value: impl FnMut(usize, usize) -> Option<f64>) -> Structure {
    found_with(n, is_rate, None, value)
}

fn found_with(
    n: usize,
    is_rate: bool,
    leaf: Option<&[u32]>,
    value: impl FnMut(usize, usize) -> Option<f64>,
) -> Structure {
    let (from, to, value) = samples(n, value);
    Structure::of(&Samples { hosts: n, from: &from, to: &to, value: &value, is_rate }, leaf).unwrap()
}

/// Groups of these sizes, as numbers of hosts.
fn blocks(sizes: &[usize]) -> Vec<u32> {
    (0..).zip(sizes).flat_map(|(g, &size)| std::iter::repeat_n(g, size)).collect()
}

/// The same noise in both directions: nothing averages out.
fn pair_noise(n: usize, mut draw: impl FnMut() -> f64) -> Vec<f64> {
    let mut out = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i {
            out[i * n + j] = draw();
            out[j * n + i] = out[i * n + j];
        }
    }
    out
}

const US: f64 = 1e-6;

#[test]
fn blocks_of_any_size_are_found_without_noise() {
    for sizes in [vec![4; 12], vec![2; 24], vec![8, 8], vec![4, 4], vec![6, 3, 3], vec![18; 8], vec![20, 4]] {
        let group = blocks(&sizes);
        let n = group.len();
        let found = found(n, false, |i, j| Some(if group[i] == group[j] { 0.9 * US } else { US }));
        assert_eq!(found.groupings.len(), 1, "{sizes:?}");
        assert_eq!(found.groupings[0].group, group, "{sizes:?}");
        assert!((found.groupings[0].gap() * found.table.level - 0.1 * US).abs() < 1e-3 * US, "{sizes:?}");
    }
}

#[test]
fn three_hosts_have_no_group_of_four_at_any_gap() {
    let found = found(3, false, |i, j| Some(US * (1.0 + 0.01 * (3 * i + j) as f64)));
    assert!(found.groupings.is_empty() && found.least_gap.is_infinite());
}

#[test]
fn megaports_are_found_while_noise_is_below_the_gap() {
    // 12 blocks of 4; noise of 0.9 of the gap from end to end, as in report D.
    let group = blocks(&[4; 12]);
    for seed in 0..100 {
        let mut rng = Rng::of_pattern(7, seed);
        let noise = pair_noise(48, || 0.9 * (uniform(&mut rng) - 0.5));
        let found = found(48, false, |i, j| {
            Some(US * (1.0 + 0.01 * (f64::from(group[i] != group[j]) + noise[i * 48 + j])))
        });
        assert_eq!(found.groupings.len(), 1, "seed {seed}");
        assert_eq!(found.groupings[0].group, group, "seed {seed}");
    }
}

#[test]
fn noise_above_the_gap_hides_groups_and_the_least_gap_says_so() {
    let group = blocks(&[4; 12]);
    let mut rng = Rng::of_pattern(7, 1);
    let noise = pair_noise(48, || 4.0 * (uniform(&mut rng) - 0.5));
    let found = found(48, false, |i, j| {
        Some(US * (1.0 + 0.01 * (f64::from(group[i] != group[j]) + noise[i * 48 + j])))
    });
    assert!(found.groupings.is_empty());
    assert!(found.least_gap > 0.01 && found.least_gap < 0.1, "{}", found.least_gap);
}

#[test]
fn noise_alone_has_no_groups_peaks_or_hosts_that_stand_out() {
    for seed in 0..200 {
        let mut rng = Rng::of_pattern(11, seed);
        let n = 8 + (seed as usize * 7) % 60;
        let kind = seed % 5;
        let hosts: Vec<f64> = (0..n).map(|_| 0.03 * normal(&mut rng)).collect();
        let draw = |rng: &mut Rng| match kind {
            0 => 0.02 * normal(rng),
            1 => 0.05 * uniform(rng),
            2 => (0.05 * normal(rng)).exp() - 1.0,
            3 => 0.01 * (1.0 / (1.0 - uniform(rng))).powf(0.5), // heavy tail: no variance
            _ => 0.01 * (normal(rng) / 0.5).round() * 0.5,      // rounded
        };
        let same = pair_noise(n, || draw(&mut rng));
        let is_same = seed % 2 == 0;
        let spread = if seed % 3 == 0 { 1.0 } else { 0.0 };
        let found = found(n, seed % 4 == 0, |i, j| {
            let noise = if is_same { same[i * n + j] } else { draw(&mut rng) };
            Some(US * (1.0 + noise + spread * (hosts[i] + hosts[j])))
        });
        assert!(found.groupings.is_empty(), "seed {seed}: {:?}", found.groupings);
        assert!(found.outstanding.is_empty(), "seed {seed}: {:?}", found.outstanding);
        if spread == 0.0 {
            assert_eq!(found.peaks.len(), 1, "seed {seed}: {:?}", found.peaks);
        }
    }
}

#[test]
fn leaves_in_near_sets_are_two_groupings() {
    // 4 near sets of 6 leaves of 8: report E's structure, smaller. Bandwidth, 2 % noise.
    let leaf: Vec<u32> = (0..192).map(|host| host / 8).collect();
    let near: Vec<u32> = leaf.iter().map(|leaf| leaf / 6).collect();
    for seed in 0..10 {
        let mut rng = Rng::of_pattern(13, seed);
        let found = found(192, true, |i, j| {
            let share = if leaf[i] == leaf[j] {
                1.0
            } else if near[i] == near[j] {
                0.94
            } else {
                0.6
            };
            Some(3e9 * share * (1.0 + 0.02 * normal(&mut rng)))
        });
        let groups: Vec<_> = found.groupings.iter().map(|g| &g.group).collect();
        assert_eq!(groups, [&leaf, &near], "seed {seed}");
        let gaps: Vec<f64> = found.groupings.iter().map(Grouping::gap).collect();
        assert!((gaps[0] - (1.0 / 0.94_f64).ln()).abs() < 0.01, "{gaps:?}");
        assert!((gaps[1] - (0.94_f64 / 0.6).ln()).abs() < 0.01, "{gaps:?}");
    }
}

#[test]
fn hosts_slower_than_the_gap_missing_pairs_and_outliers_hide_no_group() {
    for seed in 0..40 {
        let mut rng = Rng::of_pattern(17, seed);
        let group = blocks(&[8, 8, 8, 5, 3, 8]);
        let n = group.len();
        let sending: Vec<f64> = (0..n).map(|_| 0.08 * (uniform(&mut rng) - 0.5)).collect();
        let receiving: Vec<f64> = (0..n).map(|_| 0.08 * (uniform(&mut rng) - 0.5)).collect();
        let found = found(n, false, |i, j| {
            if i == j {
                return Some(0.3 * US); // a diagonal, which is not looked at
            }
            let is_missing = uniform(&mut rng) < 0.1;
            let outlier = if uniform(&mut rng) < 0.02 { 3.0 * uniform(&mut rng) } else { 0.0 };
            let far = 0.05 * f64::from(group[i] != group[j]);
            let noise = 0.008 * normal(&mut rng);
            (!is_missing).then(|| US * (1.0 + far + sending[i] + receiving[j] + noise + outlier))
        });
        assert_eq!(found.groupings.len(), 1, "seed {seed}");
        assert_eq!(found.groupings[0].group, group, "seed {seed}");
        assert_eq!(found.table.unused, Unused { diagonal: n, unusable: 0 });
        let mean = sending.iter().sum::<f64>() / n as f64;
        for (host, &planted) in sending.iter().enumerate() {
            assert!(
                (found.fit.sending[host] - (planted - mean) / 1.05).abs() < 0.008,
                "seed {seed} host {host}"
            );
        }
    }
}

#[test]
fn a_host_that_sends_or_receives_worse_stands_out_and_on_that_side() {
    for seed in 0..50 {
        let mut rng = Rng::of_pattern(19, seed);
        let planted = (seed % 24) as usize;
        let found = found(24, true, |i, j| {
            let factor =
                if i == planted { 0.82 } else { 1.0 } * if j == (planted + 2) % 24 { 0.87 } else { 1.0 };
            let both = if i == (planted + 1) % 24 || j == (planted + 1) % 24 { 0.8 } else { 1.0 };
            Some(12e9 * factor * both * (1.0 + 0.02 * normal(&mut rng)))
        });
        let outstanding: Vec<_> = found.outstanding.iter().map(|o| (o.host as usize, o.side)).collect();
        let expected = [
            ((planted + 1) % 24, Side::Both),
            (planted, Side::Sending),
            ((planted + 2) % 24, Side::Receiving),
        ];
        assert_eq!(outstanding, expected, "seed {seed}");
        assert!((found.outstanding[1].by - (1.0 / 0.82_f64).ln()).abs() < 0.03);
        assert!(found.symmetry.by_hosts > 0.5);
    }
}

#[test]
fn a_host_that_is_slower_on_one_side_and_faster_on_the_other_is_named_by_the_greater_difference() {
    // ln 0.8 and ln 1.5 are −0.22 and 0.41; ln 0.6 and ln 1.2 are −0.51 and 0.18.
    for (sends, receives, side) in [(0.8, 1.5, Side::Receiving), (0.6, 1.2, Side::Sending)] {
        let mut rng = Rng::of_pattern(47, 0);
        let found = found(24, true, |i, j| {
            let own = if i == 5 { sends } else { 1.0 } * if j == 5 { receives } else { 1.0 };
            Some(12e9 * own * (1.0 + 0.01 * normal(&mut rng)))
        });
        let outstanding: Vec<_> = found.outstanding.iter().map(|o| (o.host, o.side)).collect();
        assert_eq!(outstanding, [(5, side)]);
    }
}

#[test]
fn a_host_that_differs_by_less_than_is_any_trouble_does_not_stand_out() {
    // 5 % in a cluster whose hosts differ by nothing, measured to 0.1 %.
    let mut rng = Rng::of_pattern(43, 0);
    let with = |share: f64, rng: &mut Rng| {
        found(32, false, |i, j| {
            Some(US * (1.0 + share * f64::from(u8::from(i == 4 || j == 4)) + 0.001 * normal(rng)))
        })
    };
    let slow = with(0.05, &mut rng);
    assert!(slow.outstanding.is_empty());
    assert!((slow.fit.sending[4] - 0.05).abs() < 0.005);
    assert_eq!(with(0.1, &mut rng).outstanding.len(), 1);
}

#[test]
fn peaks_have_the_centers_widths_and_counts_that_were_put_in() {
    // Same node, same leaf, two hops, four hops: 1 : 5 : 20 : 74.
    for seed in 0..30 {
        let mut rng = Rng::of_pattern(23, seed);
        let planted = [(0.3, 0.004, 100), (0.82, 0.01, 500), (0.96, 0.01, 2000), (1.3, 0.05, 7400)];
        let mut values: Vec<f64> = planted
            .iter()
            .flat_map(|&(center, width, count)| std::iter::repeat_n((center, width), count))
            .map(|(center, width)| center + width * normal(&mut rng))
            .collect();
        if seed % 2 == 0 {
            for value in &mut values {
                *value = (*value * 100.0).round() / 100.0;
            }
        }
        let found = peaks(&values);
        assert_eq!(found.len(), 4, "seed {seed}: {found:?}");
        for (peak, (center, width, count)) in found.iter().zip(planted) {
            assert!((peak.center - center).abs() < 0.01 && (peak.width - width).abs() < 0.007, "{peak:?}");
            assert!(peak.count.abs_diff(count) <= count / 50, "seed {seed} {peak:?}");
        }
    }
}

#[test]
fn one_peak_stays_one_whatever_its_shape() {
    for seed in 0..300 {
        let mut rng = Rng::of_pattern(29, seed);
        let count = [60, 240, 1000, 20_000][seed as usize % 4];
        let values: Vec<f64> = (0..count)
            .map(|_| match seed % 6 {
                0 => normal(&mut rng),
                1 => uniform(&mut rng),
                2 => normal(&mut rng).exp(),
                3 => -(1.0 - uniform(&mut rng)).ln(),
                4 => (1.0 - uniform(&mut rng)).powf(-0.7),
                _ => (normal(&mut rng) * 3.0).round() + 100.0,
            })
            .collect();
        assert_eq!(peaks(&values).len(), 1, "seed {seed}: {:?}", peaks(&values));
    }
    assert_eq!(peaks(&[1.0; 50]).len(), 1);
    assert!(peaks(&[]).is_empty());
    assert_eq!(peaks(&[2.0, f64::NAN]).len(), 1);
}

#[test]
fn swapped_hosts_are_measured_among_those_of_the_other_leaf() {
    let leaf: Vec<u32> = (0..96).map(|host| host / 12).collect();
    for seed in 0..40 {
        let mut rng = Rng::of_pattern(31, seed);
        let mut real = leaf.clone();
        let (a, b) = (rng.below(12) as usize, 12 + rng.below(84) as usize);
        real.swap(a, b);
        let noise = if seed % 2 == 0 { 0.002 } else { 0.01 };
        let found = found_with(96, false, Some(&leaf), |i, j| {
            Some(US * (1.0 + 0.03 * f64::from(real[i] != real[j]) + noise * normal(&mut rng)))
        });
        let leaves = found.leaves.unwrap();
        assert!(leaves.is_clear);
        let swapped: Vec<_> = leaves.misplaced.iter().map(|m| (m.host as usize, m.leaf, m.among)).collect();
        assert_eq!(swapped, [(a, leaf[a], leaf[b]), (b, leaf[b], leaf[a])], "seed {seed}");
        assert_eq!(found.groupings[0].group.len(), 96);
    }
}

#[test]
fn leaves_that_are_near_to_each_other_misplace_no_host() {
    // A leaf of 4 and one of 20 behind one chip, and three others: a host of the 4 has more near pairs with the 20.
    let leaf = blocks(&[4, 20, 10, 10, 10]);
    let mut rng = Rng::of_pattern(47, 0);
    let near = |i: usize, j: usize| leaf[i].max(1) == leaf[j].max(1);
    let found = found_with(54, false, Some(&leaf), |i, j| {
        Some(US * (1.0 + 0.1 * f64::from(u8::from(!near(i, j))) + 0.005 * normal(&mut rng)))
    });
    let leaves = found.leaves.unwrap();
    assert!(leaves.is_clear);
    assert_eq!(leaves.misplaced, []);
}

#[test]
fn noise_makes_no_leaves_distinct() {
    let leaf: Vec<u32> = (0..96).map(|host| host / 12).collect();
    for seed in 0..100 {
        let mut rng = Rng::of_pattern(37, seed);
        let found = found_with(96, false, Some(&leaf), |_, _| Some(US * (1.0 + 0.01 * normal(&mut rng))));
        let leaves = found.leaves.unwrap();
        assert!(!leaves.is_clear && leaves.misplaced.is_empty(), "seed {seed}");
    }
}

#[test]
fn repeats_make_means_without_their_outliers_and_jitter() {
    // By hand: repeats 1, 2 and 3 % off; the fourth of one pair is ten times as long.
    let pairs = (0..4_u32).flat_map(|i| (0..4).map(move |j| (i, j))).filter(|(i, j)| i != j);
    let mut all: Vec<(u32, u32, f64)> =
        pairs.flat_map(|(i, j)| [0.99, 1.0, 1.01].map(|factor| (i, j, factor * US))).collect();
    all.extend([(1, 2, 10.0 * US), (1, 2, f64::NAN), (1, 9, US), (3, 0, -US)]);
    let from: Vec<u32> = all.iter().map(|sample| sample.0).collect();
    let to: Vec<u32> = all.iter().map(|sample| sample.1).collect();
    let value: Vec<f64> = all.iter().map(|sample| sample.2).collect();
    let found =
        Structure::of(&Samples { hosts: 4, from: &from, to: &to, value: &value, is_rate: false }, None)
            .unwrap();
    assert_eq!(found.table.unused, Unused { diagonal: 0, unusable: 3 });
    assert!((found.table.values[4 + 2] - US).abs() < 1e-15);
    let jitter = found.table.jitter.unwrap();
    assert!((jitter.least + 0.01).abs() < 1e-9 && (jitter.greatest - 9.0).abs() < 1e-9, "{jitter:?}");
    // 12 pairs of squares 1, 0, 1 (× 0.01²) over 2 degrees of freedom each.
    assert!((jitter.deviation - 0.01).abs() < 1e-9, "{jitter:?}");
    assert_eq!((jitter.samples, jitter.outliers), (37, 1));
}

#[test]
fn samples_that_cannot_be_analysed_are_errors() {
    let none = Samples { hosts: 5, from: &[], to: &[], value: &[], is_rate: false };
    assert_eq!(Structure::of(&none, None).unwrap_err(), NoStructure::TooFewHosts);
    let two = Samples { hosts: 9, from: &[1, 2], to: &[2, 1], value: &[US, US], is_rate: false };
    assert_eq!(Structure::of(&two, None).unwrap_err(), NoStructure::TooFewHosts);
    let many = Samples { hosts: 5000, ..none };
    assert_eq!(Structure::of(&many, None).unwrap_err(), NoStructure::TooManyHosts(5000));
    let sparse = found(9, false, |i, j| (j == (i + 1) % 9).then_some(US));
    assert!(sparse.groupings.is_empty());
}

#[test]
fn the_bound_on_chance_is_above_what_chance_does() {
    // 6 of 24 ranks: the share of draws whose mean is as low, of 20,000, is below the bound, and within e³ of it.
    let mut rng = Rng::of_pattern(41, 0);
    let mut order: Vec<u32> = (0..24).collect();
    let means: Vec<f64> = (0..20_000)
        .map(|_| {
            rng.shuffle(&mut order);
            order[..6].iter().map(|&rank| (f64::from(rank) + 0.5) / 24.0).sum::<f64>() / 6.0
        })
        .collect();
    for limit in [0.25, 0.3, 0.35, 0.4] {
        let share = means.iter().filter(|&&mean| mean <= limit + 1e-9).count() as f64 / 20_000.0;
        let bound = stats::ln_chance_of_ranks(6, 24, limit);
        assert!(bound >= share.ln() && bound < share.ln() + 3.0, "{limit}: {bound} {}", share.ln());
    }
}
