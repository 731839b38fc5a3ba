// SPDX-License-Identifier: Apache-2.0
//
// Converts the model, compiles the C source that the converter writes, and links weft's libraries.
// Needs no other crate. Environment:
//
//   WEFT_MODEL     the model, .xml or .tflite
//   WEFT_PREFIX    the installation of weft for the target
//   WEFT_COMMAND   weft of this machine; default: WEFT_PREFIX/bin/weft
//   WEFT_OPTIONS   more options of weft convert, such as --streaming
//   CC, AR         compiler and archiver of the target; default: cc, ar

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{exit, Command};
use std::{env, fs};

// The sizes that src/lib.rs assumes; a header of another version fails to compile.
const LAYOUT: &str = r#"#include <stddef.h>
#include "model.h"
#define SAME(a, b) _Static_assert((a) == (b), "src/lib.rs is for another version of weft_c.h")
SAME(sizeof(weft_fault), 16);
SAME(offsetof(weft_fault, index), 4);
SAME(sizeof(weft_engine), 10 * sizeof(void*));
SAME(sizeof(weft_memory), 10 * sizeof(void*));
SAME(sizeof(weft_steps), 2 * sizeof(void*));
SAME(offsetof(weft_tensor, dims), 2 * sizeof(void*));
SAME(offsetof(weft_tensor, rank), 2 * sizeof(void*) + 32);
SAME(offsetof(weft_tensor, type), 2 * sizeof(void*) + 33);
SAME(WEFT_F32, 0);
SAME(WEFT_F64, 3);
SAME(WEFT_I8, 6);
SAME(WEFT_I64, 10);
"#;

fn fail(text: &str) -> ! {
    eprintln!("build.rs: {text}");
    exit(1);
}

fn variable(name: &str, default: Option<String>) -> String {
    println!("cargo:rerun-if-env-changed={name}");
    env::var(name).ok().or(default).unwrap_or_else(|| {
        fail(&format!("{name} is not set; build.rs lists the variables"))
    })
}

fn run(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => (),
        Ok(status) => fail(&format!("{command:?}: {status}")),
        Err(error) => fail(&format!("{command:?}: {error}")),
    }
}

/// Returns the constants of the header `model.h` as Rust: sizes, and the indices of the ports.
fn constants(header: &str) -> String {
    let mut text = String::new();
    for line in header.lines() {
        let line = line.trim();
        if let Some(layout) = line.strip_prefix("#define MODEL_STATE_LAYOUT UINT64_C(") {
            let value = layout.trim_end_matches(')');
            writeln!(text, "pub const STATE_LAYOUT: u64 = {value};").unwrap();
        } else if let Some((name, value)) =
            line.strip_prefix("MODEL_").and_then(|row| row.split_once(" = "))
        {
            let value: String = value.chars().take_while(char::is_ascii_digit).collect();
            writeln!(text, "pub const {name}: usize = {value};").unwrap();
        }
    }
    text
}

fn compile(cc: &str, out: &Path, include: &Path, source: &str) -> PathBuf {
    let object = out.join(source).with_extension("o");
    run(Command::new(cc)
        .args(["-std=c11", "-O2", "-fPIC", "-c", "-I"])
        .arg(include)
        .arg("-I")
        .arg(out)
        .arg(out.join(source))
        .arg("-o")
        .arg(&object));
    object
}

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let model = variable("WEFT_MODEL", None);
    let prefix = PathBuf::from(variable("WEFT_PREFIX", None));
    let default = prefix.join("bin/weft").to_str().map(String::from);
    let weft = variable("WEFT_COMMAND", default);
    let options = variable("WEFT_OPTIONS", Some(String::new()));
    let cc = variable("CC", Some("cc".into()));
    let ar = variable("AR", Some("ar".into()));
    let weights = Path::new(&model).with_extension("bin");
    for path in [Path::new(&model), &weights, Path::new("build.rs")] {
        if path.exists() {
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }

    run(Command::new(weft)
        .args(["convert", &model, "--quiet", "-o"])
        .arg(out.join("model.weft"))
        .arg("--c-source")
        .arg(out.join("model.c"))
        .args(options.split_whitespace()));
    let header = fs::read_to_string(out.join("model.h")).unwrap_or_else(|e| fail(&e.to_string()));
    for (name, text) in [("model.rs", constants(&header)), ("layout.c", LAYOUT.into())] {
        fs::write(out.join(name), text).unwrap_or_else(|error| fail(&error.to_string()));
    }
    let include = prefix.join("include/weft");
    compile(&cc, &out, &include, "layout.c");
    let object = compile(&cc, &out, &include, "model.c");
    let archive = out.join("libweft_this_model.a");
    let _ = fs::remove_file(&archive);
    run(Command::new(ar).arg("crs").arg(archive).arg(object));

    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-search=native={}", prefix.join("lib").display());
    for name in ["weft_this_model", "weft_runtime", "weft_kernels", "weft_highway_targets"] {
        println!("cargo:rustc-link-lib=static={name}");
    }
}
