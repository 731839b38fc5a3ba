// SPDX-License-Identifier: Apache-2.0

//! A model that is compiled into the program, over weft's C interface: no heap, no operating system
//! and no other crate.
//!
//! ```no_run
//! let mut memory = weft_model::Memory::new();
//! let mut model = weft_model::Model::open(&mut memory)?;
//! model.input::<f32>(0).unwrap().fill(0.5);
//! model.run()?;
//! let y = model.output::<f32>(0).unwrap()[0];
//! # Ok::<(), weft_model::Fault>(())
//! ```

#![no_std]
#![warn(missing_docs)]

use core::ffi::{c_char, c_void};
use core::marker::PhantomData;
use core::{fmt, ptr, slice};

/// Sizes of the model and the indices of its ports, from the header of `weft convert --c-source`.
#[allow(missing_docs)]
pub mod model {
    include!(concat!(env!("OUT_DIR"), "/model.rs"));
}

/// An error of weft. `Display` writes the text of `weft explain`; code 0 never occurs.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub code: u16,
    kind: u8,
    operand: u8,
    index: u32,
    is: u32,
    must: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Block {
    data: *mut c_void,
    bytes: usize,
}

#[repr(C)]
struct Blocks {
    state: Block,
    scratch: Block,
    more_scratch: [Block; 3],
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    bytes: usize,
    dims: [u32; 8],
    rank: u8,
    element: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Steps {
    entries: *const c_void,
    count: u32,
}

#[repr(C)]
struct Engine([*mut c_void; 10]);

extern "C" {
    static model_model: u8;
    static model_steps: Steps;
    fn weft_open(m: *const c_void, n: usize, s: Steps, b: Blocks, e: *mut Engine) -> Fault;
    fn weft_input(engine: *const Engine, port: u32) -> Tensor;
    fn weft_output(engine: *const Engine, port: u32) -> Tensor;
    fn weft_run(engine: *mut Engine) -> Fault;
    fn weft_reset(engine: *mut Engine);
    fn weft_describe(fault: Fault, text: *mut c_char, text_bytes: usize) -> usize;
}

impl Fault {
    fn check(self) -> Result<(), Fault> {
        if self.code == 0 {
            Ok(())
        } else {
            Err(self)
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut text = [0u8; 300];
        // SAFETY: weft_describe writes at most text.len() bytes and returns the length of the text.
        let size = unsafe { weft_describe(*self, text.as_mut_ptr().cast(), text.len()) };
        f.write_str(core::str::from_utf8(&text[..size.min(text.len())]).unwrap_or("unknown error"))
    }
}

impl core::error::Error for Fault {}

/// A type of elements of ports.
///
/// # Safety
///
/// `NUMBER` must be that of weft_type, and every bit pattern must be a value.
pub unsafe trait Element: Copy {
    /// The number of weft_type.
    const NUMBER: u8;
}

macro_rules! elements {
    ($($name:ty = $number:expr),*) => {
        $(
            // SAFETY: the numbers are those of weft_c.h; build.rs checks the first and the last.
            unsafe impl Element for $name {
                const NUMBER: u8 = $number;
            }
        )*
    };
}
elements!(f32 = 0, f64 = 3, i8 = 6, u8 = 7, i16 = 8, i32 = 9, i64 = 10);

const fn at_least_one(bytes: usize) -> usize {
    if bytes > 0 {
        bytes
    } else {
        1
    }
}

/// The state of a stream and its scratch: [`model::STATE_BYTES`] and [`model::SCRATCH_BYTES`]. It can
/// be a `static`.
#[repr(C, align(64))]
pub struct Memory {
    scratch: [u8; at_least_one(model::SCRATCH_BYTES).next_multiple_of(64)],
    state: [u8; at_least_one(model::STATE_BYTES).next_multiple_of(64)],
}

impl Memory {
    /// Memory of zeros.
    pub const fn new() -> Memory {
        Memory {
            scratch: [0; at_least_one(model::SCRATCH_BYTES).next_multiple_of(64)],
            state: [0; at_least_one(model::STATE_BYTES).next_multiple_of(64)],
        }
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

/// The model on a memory: one stream.
pub struct Model<'a> {
    engine: Engine,
    state: *mut u8,
    memory: PhantomData<&'a mut Memory>,
}

// SAFETY: the model's memory is borrowed exclusively, and weft has no global state.
unsafe impl Send for Model<'_> {}

impl<'a> Model<'a> {
    /// Checks the model and sets its state to the initial values.
    pub fn open(memory: &'a mut Memory) -> Result<Model<'a>, Fault> {
        let none = Block { data: ptr::null_mut(), bytes: 0 };
        let state = memory.state.as_mut_ptr();
        let blocks = Blocks {
            state: Block { data: state.cast(), bytes: model::STATE_BYTES },
            scratch: Block {
                data: memory.scratch.as_mut_ptr().cast(),
                bytes: model::SCRATCH_BYTES,
            },
            more_scratch: [none; 3],
        };
        let engine = Engine([ptr::null_mut(); 10]);
        let mut model = Model { engine, state, memory: PhantomData };
        // SAFETY: the model is a constant array of MODEL_BYTES; `blocks` is borrowed for 'a, aligned to
        // 64 and has the sizes of the model.
        unsafe {
            let data = ptr::addr_of!(model_model).cast();
            weft_open(data, model::MODEL_BYTES, model_steps, blocks, &mut model.engine).check()?;
        }
        Ok(model)
    }

    /// The elements of input `port`, or `None` if there is no such port or its type is not `T`. Write
    /// all inputs before each run: a run may overwrite them.
    pub fn input<T: Element>(&mut self, port: usize) -> Option<&mut [T]> {
        // SAFETY: weft returns a null pointer for a port that does not exist.
        let tensor = unsafe { weft_input(&self.engine, number_of(port)) };
        // SAFETY: the memory is exclusive while `self` is borrowed, and aligned for every element type.
        elements_of::<T>(&tensor)
            .map(|count| unsafe { slice::from_raw_parts_mut(tensor.data.cast(), count) })
    }

    /// The elements of output `port`, or `None` if there is no such port or its type is not `T`.
    pub fn output<T: Element>(&self, port: usize) -> Option<&[T]> {
        // SAFETY: as in `input`.
        let tensor = unsafe { weft_output(&self.engine, number_of(port)) };
        // SAFETY: nothing writes the memory while `self` is borrowed.
        elements_of::<T>(&tensor)
            .map(|count| unsafe { slice::from_raw_parts(tensor.data.cast_const().cast(), count) })
    }

    /// Computes the outputs and the next state.
    pub fn run(&mut self) -> Result<(), Fault> {
        // SAFETY: the engine is open.
        unsafe { weft_run(&mut self.engine).check() }
    }

    /// Sets the state to the initial values.
    pub fn reset(&mut self) {
        // SAFETY: the engine is open.
        unsafe { weft_reset(&mut self.engine) }
    }

    /// The bytes of the state. Another model accepts them if its [`model::STATE_LAYOUT`] is equal.
    pub fn state(&self) -> &[u8] {
        // SAFETY: `state` has STATE_BYTES bytes, which nothing writes while `self` is borrowed.
        unsafe { slice::from_raw_parts(self.state, model::STATE_BYTES) }
    }

    /// Sets the state to these bytes, or returns false if their number is not that of the state.
    pub fn set_state(&mut self, bytes: &[u8]) -> bool {
        if bytes.len() != model::STATE_BYTES {
            return false;
        }
        // SAFETY: as in `state`; `bytes` cannot overlap the memory, which is borrowed exclusively.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.state, bytes.len()) };
        true
    }
}

/// The largest number, which no port has, if `port` exceeds 32 bits.
fn number_of(port: usize) -> u32 {
    u32::try_from(port).unwrap_or(u32::MAX)
}

fn elements_of<T: Element>(tensor: &Tensor) -> Option<usize> {
    let fits = !tensor.data.is_null() && tensor.element == T::NUMBER;
    fits.then(|| tensor.bytes / core::mem::size_of::<T>())
}
