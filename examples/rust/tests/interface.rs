// SPDX-License-Identifier: Apache-2.0
//
// The interface, with any model that has one f32 input and one f32 output.

use weft_model::{model, Memory, Model};

fn outputs(model: &mut Model, runs: usize, seed: &mut u32) -> Vec<u32> {
    let mut bits = Vec::new();
    for _ in 0..runs {
        for value in model.input::<f32>(0).unwrap() {
            *seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            *value = (*seed >> 8) as f32 / (1 << 23) as f32 - 1.0;
        }
        model.run().unwrap();
        bits.extend(model.output::<f32>(0).unwrap().iter().map(|value| value.to_bits()));
    }
    bits
}

#[test]
fn streams_are_independent() {
    let (mut first, mut second) = (Memory::new(), Memory::new());
    let mut models = [Model::open(&mut first).unwrap(), Model::open(&mut second).unwrap()];
    let (mut a, mut b) = (1, 2);
    let mut together = [Vec::new(), Vec::new()];
    for _ in 0..5 {
        together[0].extend(outputs(&mut models[0], 1, &mut a));
        together[1].extend(outputs(&mut models[1], 1, &mut b));
    }
    for (seed, bits) in [1, 2].iter().zip(together) {
        models[0].reset();
        assert_eq!(outputs(&mut models[0], 5, &mut seed.clone()), bits);
    }
}

#[test]
fn a_state_moves_to_another_stream() {
    let (mut first, mut second) = (Memory::new(), Memory::new());
    let mut from = Model::open(&mut first).unwrap();
    let mut to = Model::open(&mut second).unwrap();
    let mut seed = 3;
    outputs(&mut from, 4, &mut seed);
    assert_eq!(from.state().len(), model::STATE_BYTES);
    assert!(to.set_state(from.state()));
    assert!(!to.set_state(&vec![0; model::STATE_BYTES + 1]));
    assert_eq!(outputs(&mut from, 3, &mut seed.clone()), outputs(&mut to, 3, &mut seed));
}

#[test]
fn ports_have_one_type() {
    let mut memory = Memory::new();
    let mut model = Model::open(&mut memory).unwrap();
    assert!(model.input::<i8>(0).is_none());
    assert!(model.output::<f64>(0).is_none());
    assert!(model.input::<f32>(1).is_none());
    assert!(model.output::<f32>(usize::MAX).is_none());
}
