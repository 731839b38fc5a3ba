/* SPDX-License-Identifier: Apache-2.0
 *
 * Three models in one program: a front end and a detector run for each frame of 10 ms, a classifier
 * only while the detector reports a tone. They share one scratch, because they never run at the
 * same time. Prints a line for each run of the classifier. Runs on a desktop and, with semihosting,
 * on a board. Exit code 1: a model does not open or run. */
#include "pipeline.h" /* written by weft link */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kSamples = 80, kBands = 8, kHistory = 16, kTones = 4, kEvery = 8 };

static pipeline_engines engines;

/* The features of the last frames. Outputs are in the shared scratch, which the next run of any
 * model overwrites, so the program keeps what it needs later. */
static float history[kHistory][kBands];
static unsigned active; /* frames in a row with a tone */
static unsigned front_runs, vad_runs, classifier_runs;

/* Copies the input, runs the model and copies the output. */
static int RunModel(weft_engine* engine, const float* x, float* y) {
  const weft_tensor input = weft_input(engine, 0);
  memcpy(input.data, x, input.bytes);
  const weft_fault fault = weft_run(engine);
  if (!weft_ok(fault)) {
    char text[160];
    weft_describe(fault, text, sizeof(text));
    printf("run: %s\n", text);
    return 0;
  }
  const weft_tensor output = weft_output(engine, 0);
  memcpy(y, output.data, output.bytes);
  return 1;
}

static int Classify(unsigned frame) {
  static const char* const names[kTones] = {"low", "middle", "high", "top"};
  float tones[kTones];
  if (!RunModel(&engines.classifier, &history[0][0], tones)) return 0;
  ++classifier_runs;
  unsigned best = 0;
  for (unsigned i = 1; i < kTones; ++i) {
    if (tones[i] > tones[best]) best = i;
  }
  printf("frame %u: %s\n", frame, names[best]);
  return 1;
}

/* The schedule: front end and detector always, classifier every kEvery frames during a tone. */
static int Step(unsigned frame, const float* audio) {
  float speech = 0.0f;
  memmove(history[0], history[1], sizeof(history) - sizeof(history[0]));
  if (!RunModel(&engines.front, audio, history[kHistory - 1])) return 0;
  ++front_runs;
  if (!RunModel(&engines.vad, history[kHistory - 1], &speech)) return 0;
  ++vad_runs;
  active = speech > 0.5f ? active + 1u : 0u;
  if (active < kHistory || (active - kHistory) % kEvery != 0u) return 1;
  return Classify(frame);
}

/* The recording: 300 ms of silence or of a tone at 8 kHz, given as 2 cos and sin of its step. */
struct Part {
  float two_cos, sin;
};
static const struct Part parts[] = {
    {0.0f, 0.0f}, {1.66293922f, 0.55557023f},  {0.0f, 0.0f}, {0.39018064f, 0.98078528f},
    {0.0f, 0.0f}, {-1.11114047f, 0.83146961f}, {0.0f, 0.0f}, {-1.96157056f, 0.19509032f},
    {0.0f, 0.0f},
};

int main(void) {
  const weft_fault fault = pipeline_open(&engines);
  if (!weft_ok(fault)) {
    char text[160];
    weft_describe(fault, text, sizeof(text));
    printf("open: %s\n", text);
    return 1;
  }
  unsigned frame = 0;
  for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); ++part) {
    float now = 0.0f, next = 0.25f * parts[part].sin;
    for (unsigned i = 0; i < 30; ++i, ++frame) {
      float audio[kSamples];
      for (unsigned k = 0; k < kSamples; ++k) {
        audio[k] = now;
        now = next;
        next = parts[part].two_cos * next - audio[k];
      }
      if (!Step(frame, audio)) return 1;
    }
  }
  printf("runs: front %u, vad %u, classifier %u\n", front_runs, vad_runs, classifier_runs);
  return 0;
}
