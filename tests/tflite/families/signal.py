# SPDX-License-Identifier: Apache-2.0
"""The custom operators Signal* of audio front ends, with the answers of tflite-micro. Ports of u32
and u64 are compared as i32 and i64, which weft's ports are."""
import micro
import numpy as np
from casebook import Case, source
from writer import DTYPES, Model

CALLS = 6
BINS = 33
AS_SIGNED = {"uint32": np.int32, "uint64": np.int64}


def _signed(array):
    return array.view(AS_SIGNED.get(str(array.dtype), array.dtype))


class _Stage:
    """A model of one operator, whose inputs are ports or constants."""

    def __init__(self, path, calls=CALLS):
        self.path, self.random, self.model, self.calls = path, source(path), Model(), calls
        self.graph = self.model.graph()
        self.ports, self.arrays, self.tensors = [], [], []

    def port(self, kind, array):
        """An input port; array has a leading axis of calls."""
        array = np.asarray(array).astype(DTYPES[kind])
        self.tensors.append(self.graph.tensor(kind, list(array.shape[1:]), name=f"x{len(self.ports)}"))
        self.ports.append(self.tensors[-1])
        self.arrays.append(array)

    def noise(self, kind, *shape, low=None, high=None):
        """A port of random integers, of every magnitude unless limits are given."""
        info = np.iinfo(DTYPES[kind])
        if low is not None:
            values = self.random.integers(low, high, (CALLS, *shape))
        else:
            bits = self.random.integers(0, info.bits + 1, (CALLS, *shape))
            top = self.random.integers(0, 2**63, (CALLS, *shape), np.uint64)
            values = (top.astype(object) * 2 + 1) * (info.max - info.min) // 2**64
            values = np.array([int(v) >> (info.bits - int(b)) for v, b in
                               zip(values.ravel(), bits.ravel())], object).reshape(values.shape)
            values = np.where(self.random.integers(0, 2, values.shape) > 0, values,
                              info.max + info.min - values)
            values = np.clip(values, info.min, info.max)
        self.port(kind, values)

    def const(self, kind, array):
        """A constant input."""
        self.tensors.append(self.graph.tensor(kind, data=np.asarray(array)))

    def case(self, name, outputs, valid=False, **options):
        """The case; `outputs` are kinds and shapes. `valid`: output 0 counts if output 1 is true;
        the case has its product with output 1."""
        made = [self.graph.tensor(kind, list(shape), name=f"y{index}")
                for index, (kind, shape) in enumerate(outputs)]
        self.graph.op("CUSTOM", self.tensors, list(made), custom=name, **options)
        if valid:
            made[0] = self._masked(*made)
        self.graph.inputs, self.graph.outputs = self.ports, made
        answers = [_signed(y) for y in
                   micro.run(self.model.bytes(), self.arrays, self.calls, len(outputs))]
        inputs = [_signed(array) for array in self.arrays]
        return Case(self.path, self.model, inputs, rtol=0, atol=0, calls=self.calls,
                    answers=answers)

    def _masked(self, frame, flag):
        mask, wide, product = (self.graph.tensor("i32", list(shape)) for shape in
                               (flag.shape, frame.shape, frame.shape))
        self.graph.op("CAST", [flag], [mask], in_data_type=6, out_data_type=2)
        self.graph.op("CAST", [frame], [wide], in_data_type=7, out_data_type=2)
        self.graph.op("MUL", [wide, mask], [product])
        return product


def _window():
    for shift in (0, 12, 15):
        stage = _Stage(f"window_{shift}")
        stage.noise("i16", 2, 48)
        stage.const("i16", stage.random.integers(-32768, 32768, 48))
        yield stage.case("SignalWindow", [("i16", (2, 48))], shift=shift)


def _auto_scale():
    stage = _Stage("auto_scale")
    loud = stage.random.integers(-32768, 32768, (CALLS, 31)) >> (3 * np.arange(CALLS)[:, None])
    loud[0, 7], loud[1, 30] = -32768, -32768
    loud[-1] = 0
    stage.port("i16", loud)
    yield stage.case("SignalFftAutoScale", [("i16", (31,)), ("i32", ())])


def _transforms():
    for kind, number in (("i16", 7), ("i32", 2), ("f32", 0)):
        for length, inputs in ((4, 4), (16, 16), (64, 50), (128, 128), (512, 480)):
            scale = 1.0 if kind == "f32" else float(np.iinfo(DTYPES[kind]).max)
            for name, size, out in (("rfft", inputs, length + 2), ("irfft", length + 2, length)):
                stage, lines = _Stage(f"{name}_{kind}_{length}", 2), 2 if length < 64 else 1
                loud = stage.random.standard_normal((2, lines, size)) * scale
                loud[1] /= 100
                stage.port(kind, loud if kind == "f32" else np.clip(loud, -scale - 1, scale))
                case = stage.case(f"Signal{name.capitalize()}", [(kind, (lines, out))], T=number,
                                  fft_length=length)
                if kind == "f32":
                    case.rtol = case.atol = 2e-5 * (1 if name == "irfft" else length**0.5)
                yield case


def _energy():
    # Bins outside of the range are undefined in tflite-micro.
    for start, end in ((0, BINS), (5, 29)):
        stage = _Stage(f"energy_{start}_{end}")
        stage.noise("i16", 2 * BINS)
        case = stage.case("SignalEnergy", [("u32", (BINS,))], start_index=start, end_index=end)
        case.answers[0][:, :start] = 0
        case.answers[0][:, end:] = 0
        yield case


def _filter_bank():
    channels = 7
    stage = _Stage("filter_bank")
    widths = stage.random.integers(1, 5, channels + 1)
    starts = np.concatenate([[1], 1 + np.cumsum(widths)[:-1]])
    gaps = np.arange(channels + 1) * 6
    stage.noise("u32", BINS + 6)
    for _ in range(2):
        stage.const("i16", stage.random.integers(-4096, 4097, gaps[-1] + 6))
    for table in (starts, gaps, widths):
        stage.const("i16", table)
    yield stage.case("SignalFilterBank", [("u64", (channels,))], num_channels=channels)


def _square_root():
    stage = _Stage("square_root")
    stage.noise("u64", 40)
    stage.arrays[0][0, :6] = [0, 1, 2, 2**32 - 1, 2**32, 2**64 - 1]
    stage.port("i32", stage.random.integers(0, 16, CALLS))
    yield stage.case("SignalFilterBankSquareRoot", [("u32", (40,))])


def _subtraction():
    for clamping in (False, True):
        stage = _Stage(f"spectral_subtraction_{'clamped' if clamping else 'free'}")
        stage.noise("u32", 9, low=0, high=1 << 21)
        yield stage.case("SignalFilterBankSpectralSubtraction", [("u32", (9,)), ("u32", (9,))],
                         num_channels=9, smoothing=409, one_minus_smoothing=15975,
                         alternate_smoothing=983, alternate_one_minus_smoothing=15401,
                         min_signal_remaining=819, smoothing_bits=10,
                         spectral_subtraction_bits=14, clamping=clamping)


def _pcan():
    stage = _Stage("pcan")
    stage.noise("u32", 40)
    stage.noise("u32", 40)
    stage.arrays[1][0, :4] = [0, 1, 2, 3]
    stage.const("i16", stage.random.integers(-300, 32768, 125))
    yield stage.case("SignalPCAN", [("u32", (40,))], snr_shift=6)


def _log():
    for scale, bits in ((64, 3), (1600, 0)):
        stage = _Stage(f"log_{scale}")
        stage.noise("u32", 200)
        stage.arrays[0][0, :6] = [0, 1, 2, 3, 2**16, 2**32 - 1]
        yield stage.case("SignalFilterBankLog", [("i16", (200,))], output_scale=scale,
                         input_correction_bits=bits)


def _framer():
    for size, step, frames, prefill in ((5, 2, 1, True), (5, 2, 1, False), (6, 3, 2, False),
                                        (7, 3, 2, True), (3, 3, 1, False), (9, 2, 2, False)):
        name = f"framer_{size}_{step}_{frames}{'_prefill' if prefill else ''}"
        stage = _Stage(name)
        stage.noise("i16", 2, step * frames)
        yield stage.case("SignalFramer", [("i16", (2, frames, size)), ("bool", ())], valid=True,
                         frame_size=size, frame_step=step, prefill=prefill)


def _stacker():
    for left, right, step in ((2, 1, 1), (1, 2, 2), (0, 0, 1), (3, 0, 4)):
        stage = _Stage(f"stacker_{left}_{right}_{step}")
        stage.noise("i16", 3)
        yield stage.case("SignalStacker", [("i16", (3 * (left + right + 1),)), ("bool", ())],
                         valid=True, num_channels=3, stacker_left_context=left,
                         stacker_right_context=right, stacker_step=step)


def _delay():
    for length in (0, 3, 10):
        stage = _Stage(f"delay_{length}")
        stage.noise("i16", 2, 4)
        yield stage.case("SignalDelay", [("i16", (2, 4))], delay_length=length)


def _overlap_add():
    for kind, number in (("i16", 7), ("f32", 0)):
        for size, step, frames in ((6, 2, 1), (5, 3, 2), (4, 4, 1)):
            stage = _Stage(f"overlap_add_{kind}_{size}_{step}_{frames}")
            shape = (CALLS, 2, frames, size)
            stage.port(kind, stage.random.integers(-32768, 32768, shape) / (1 if number else 1000))
            yield stage.case("SignalOverlapAdd", [(kind, (2, frames * step))], T=number,
                             frame_step=step)


def cases():
    """All cases."""
    for family in (_window, _auto_scale, _transforms, _energy, _filter_bank, _square_root,
                   _subtraction, _pcan, _log, _framer, _stacker, _delay, _overlap_add):
        yield from family()
