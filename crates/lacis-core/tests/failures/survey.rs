//! Every failure alone is what that change does.

use std::sync::atomic::AtomicBool;

use lacis_core::fabric::Population;
use lacis_core::failures::{Entries, Failing, Interrupted, Names, Survey, Survivors, entries, shifts_of};
use lacis_core::ranks::Participants;
use lacis_core::sm::Engine;
use lacis_core::verify::verify;

use super::managed;

#[test]
fn a_survey_has_what_every_change_does_alone() {
    let stop = AtomicBool::new(false);
    for (spec, engine) in [
        ("fat-tree:4,2", Engine::FTree),
        ("fat-tree:6,3", Engine::FTree),
        ("itasca:5", Engine::UpDn),
        ("torus:3x3:h=2", Engine::UpDn),
        ("chain:4:h=2", Engine::MinHop),
    ] {
        let before = managed(spec, &[engine]);
        let whole = before.whole().clone();
        let participants = Participants::each_port(&whole, &whole.end_ports(Population::Hosts));
        let all = Failing::all(&whole, true);
        let switches = whole.num_switches();
        assert_eq!(all.len(), whole.cables().count() + switches);
        let survey = Survey::new(before.clone(), Population::All, participants.clone(), 1);
        let damages = survey.run(&stop, &all).unwrap();
        let reached = Survivors::of(&before, Population::All);
        for (failing, damage) in all.iter().zip(&damages) {
            let (after, sweeps) = before.after(&[failing.failure()]);
            assert_eq!(damage.failing, *failing);
            assert_eq!(damage.losses, reached.losses(&before, &after, 0));
            assert_eq!(damage.entries, entries(&before, &after));
            assert_eq!(damage.engine, after.routes().engine_used);
            assert_eq!(damage.shifts, shifts_of(&stop, &after, &participants, 1).unwrap());
            // Where the engine asked for routes while nothing fails, any other is a fall-back.
            if before.routes().refusals.is_empty() {
                let other = after.routes().engine_used != before.routes().engine_used;
                assert_eq!((damage.fell_back, damage.no_engine), (other, false));
                assert!(sweeps.iter().all(|s| s.fell_back == other));
            }
            // Where all was delivered, what verification finds undelivered is what was lost.
            if reached.pairs(&before).0 == reached.pairs(&before).1 {
                let left = verify(after.fabric(), after.routes(), Population::All, false);
                assert_eq!(
                    left.verdicts.failed(),
                    damage.losses.pairs(),
                    "{spec} {}",
                    failing.name(&whole, &Names::of(&whole))
                );
            }
        }
        // A survey does not depend on what is asked together.
        let some: Vec<Failing> = all.iter().copied().step_by(3).collect();
        let again = survey.run(&stop, &some).unwrap();
        assert!(again.iter().eq(damages.iter().step_by(3)));
    }
}

#[test]
fn one_lost_uplink_of_a_tree_by_hand() {
    // fat-tree:4,2: 4 leaves of 2 hosts, 2 spines. Without leaf-01--spine-01 every pair still has a
    // path over spine-02: nothing lost. Shift 2 sends both flows of each leaf to the next leaf: from
    // leaf-01 they share the one uplink left.
    let before = managed("fat-tree:4,2", &[Engine::MinHop]);
    let whole = before.whole().clone();
    let participants = Participants::each_port(&whole, &whole.end_ports(Population::Hosts));
    let stop = AtomicBool::new(false);
    let survey = Survey::new(before, Population::Hosts, participants, 1);
    let all = Failing::all(&whole, false);
    assert_eq!(all.len(), 8 + 6);
    assert_eq!(all[0].name(&whole, &Names::of(&whole)), "leaf-01[3]--spine-01[1]");
    let damage = survey.run(&stop, &all[..1]).unwrap().remove(0);
    assert_eq!((damage.losses.pairs(), damage.losses.cut_off.len(), damage.fell_back), (0, 0, false));
    assert_ne!(damage.entries, Entries::default());
    assert!(damage.shifts.unwrap().worst().unwrap().max_contention >= 2);
    let baseline = survey.baseline(&stop).unwrap();
    assert_eq!((baseline.pairs, baseline.delivered), (56, 56));
    // A leaf that fails takes its two hosts along.
    let leaf = survey.run(&stop, &all[8..9]).unwrap().remove(0);
    assert_eq!((leaf.losses.pairs(), leaf.losses.cut_off.len()), (0, 2));
}

#[test]
fn a_survey_that_is_stopped_says_so() {
    let before = managed("fat-tree:4,2", &[]);
    let whole = before.whole().clone();
    let participants = Participants::each_port(&whole, &whole.end_ports(Population::Hosts));
    let survey = Survey::new(before, Population::All, participants, 1);
    let stop = AtomicBool::new(true);
    assert_eq!(survey.run(&stop, &Failing::all(&whole, true)), Err(Interrupted));
}
