# SPDX-License-Identifier: Apache-2.0
"""Features of the C library "microfrontend". micro_values.py FILE.npz FOLDER writes them again, with the
library compiled from FOLDER, a checkout of github.com/rhasspy/pymicro-features, whose copy is C++."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

FILE = pathlib.Path(__file__).resolve().parent / "micro_values.npz"
# Arguments of MicroFrontEnd; the rest are the defaults.
ROWS = {
    "micro_wake_word": {},
    "micro_speech": {"hop": 320},
    "narrow": {"frame": 400, "channels": 32, "low": 60, "high": 3800, "even": 0.03, "odd": 0.05,
               "min_signal": 0.1, "strength": 0.9, "offset": 60, "gain_bits": 20, "log_scale": 128},
    "large": {"frame": 1024, "hop": 256, "channels": 26, "low": 0, "strength": None},
    "apart": {"frame": 320, "hop": 320, "channels": 64, "low": 20, "high": 7900},
    "short": {"frame": 128, "hop": 64},
}
_DEFAULTS = {"frame": 480, "hop": 160, "channels": 40, "low": 125, "high": 7500, "even": 0.025,
             "odd": 0.06, "min_signal": 0.05, "strength": 0.95, "offset": 80, "gain_bits": 21,
             "log_scale": 64}
_PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include "tensorflow/lite/experimental/microfrontend/lib/frontend_util.h"
int main(int, char** a) {
  FrontendConfig c;
  FrontendFillConfigWithDefaults(&c);
  c.window.size_ms = atoi(a[1]), c.window.step_size_ms = atoi(a[2]);
  c.filterbank.num_channels = atoi(a[3]);
  c.filterbank.lower_band_limit = atof(a[4]), c.filterbank.upper_band_limit = atof(a[5]);
  c.noise_reduction.even_smoothing = atof(a[6]), c.noise_reduction.odd_smoothing = atof(a[7]);
  c.noise_reduction.min_signal_remaining = atof(a[8]);
  c.pcan_gain_control.enable_pcan = atof(a[9]) > 0, c.pcan_gain_control.strength = atof(a[9]);
  c.pcan_gain_control.offset = atof(a[10]), c.pcan_gain_control.gain_bits = atoi(a[11]);
  c.log_scale.enable_log = 1, c.log_scale.scale_shift = atoi(a[12]);
  FrontendState state;
  if (!FrontendPopulateState(&c, &state, 16000)) return 1;
  short sample;
  while (fread(&sample, 2, 1, stdin) == 1) {
    size_t used;
    const FrontendOutput y = FrontendProcessSamples(&state, &sample, 1, &used);
    for (size_t i = 0; i < y.size; ++i) printf("%d ", y.values[i]);
  }
}
"""


def samples(count=16000):
    """Noise of every level, with pauses; integers, so equal on every machine."""
    noise = np.random.default_rng(11).integers(-32768, 32768, count)
    block = np.arange(count) // 500
    tone = np.where(np.arange(count) // 9 % 2, 9000, -9000) * (block % 3 == 1)
    return ((noise >> block * 7 % 13) // 2 * (block % 7 != 4) + tone).astype(np.int16)


def _compiled(folder, out):
    library = folder / "tensorflow/lite/experimental/microfrontend/lib"
    parts = [path for path in library.glob("*.cc")
             if not path.stem.endswith(("_test", "_io", "_main", "_generator"))
             and path.stem not in ("fft", "kiss_fft_int16")]
    parts += [library / "fft.cc", library / "kiss_fft_int16.cc", out / "main.cc"]
    (out / "main.cc").write_text(_PROGRAM)
    subprocess.run(["c++", "-w", "-O1", "-DFIXED_POINT=16", f"-I{folder}", f"-I{folder}/kissfft",
                    *parts, "-o", out / "micro"], check=True)
    return out / "micro"


def main(path, folder):
    values = {}
    with tempfile.TemporaryDirectory() as out:
        program = _compiled(pathlib.Path(folder), pathlib.Path(out))
        for name, row in ROWS.items():
            is_ = {**_DEFAULTS, **row}
            numbers = [is_["frame"] // 16, is_["hop"] // 16, is_["channels"], is_["low"], is_["high"],
                       is_["even"], is_["odd"], is_["min_signal"], is_["strength"] or 0,
                       is_["offset"], is_["gain_bits"], is_["log_scale"].bit_length() - 1]
            text = subprocess.run([program, *map(str, numbers)], input=samples().tobytes(),
                                  capture_output=True, check=True).stdout
            values[name] = np.array(text.split(), np.uint16).reshape(-1, is_["channels"])
    np.savez_compressed(path, **values)


if __name__ == "__main__":
    main(*sys.argv[1:])
