// SPDX-License-Identifier: Apache-2.0
//
// Reads f32 samples from stdin, runs the model on each chunk of its input's size and writes the
// outputs to stdout. An incomplete chunk at the end is dropped.

use std::io::{self, Read, Write};
use std::process::ExitCode;
use weft_model::{Memory, Model};

static mut MEMORY: Memory = Memory::new();

fn stream() -> Result<(), Box<dyn std::error::Error>> {
    // SAFETY: the only reference to the memory.
    let mut model = Model::open(unsafe { &mut *std::ptr::addr_of_mut!(MEMORY) })?;
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let count = model.input::<f32>(0).ok_or("input 0 has no f32 elements")?.len();
    let mut chunk = vec![0u8; 4 * count];
    while stdin.read_exact(&mut chunk).is_ok() {
        let input = model.input::<f32>(0).ok_or("no input")?;
        for (value, bytes) in input.iter_mut().zip(chunk.chunks_exact(4)) {
            *value = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        model.run()?;
        for value in model.output::<f32>(0).ok_or("output 0 has no f32 elements")? {
            stdout.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(stdout.flush()?)
}

fn main() -> ExitCode {
    match stream() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("stream: {error}");
            ExitCode::FAILURE
        }
    }
}
