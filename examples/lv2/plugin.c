/* SPDX-License-Identifier: Apache-2.0
 * An LV2 plug-in over a streamed model with one f32 input and one f32 output of FRAMES samples.
 * Each of CHANNELS channels has a state; the channels share the scratch. Blocks of the host may
 * have any size: the output is FRAMES - 1 samples late, plus MODEL_LATENCY of the model.
 *
 * Run allocates and locks nothing, and takes no page fault: Instantiate writes every byte of the
 * memory, executes the model once, and locks the pages if the system permits it. */
#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model.h" /* written by weft convert --c-source */

enum { kAlignment = WEFT_MEMORY_ALIGNMENT, kSaveTries = 1000 };

/* The history of a channel, which presets contain. */
typedef struct Channel {
  _Alignas(kAlignment) unsigned char state[MODEL_STATE_BYTES > 0 ? MODEL_STATE_BYTES : 1];
  float next[FRAMES];  /* input of the next run of the model */
  float ready[FRAMES]; /* output of the last one */
  uint32_t at;         /* samples in `next` */
} Channel;

typedef struct Plugin {
  Channel channels[CHANNELS];
  Channel start[CHANNELS]; /* the history from which Activate starts: empty, or of a preset */
  _Alignas(kAlignment) unsigned char scratch[MODEL_SCRATCH_BYTES > 0 ? MODEL_SCRATCH_BYTES : 1];
  Channel copy[CHANNELS]; /* of Save */
  atomic_uint changes;    /* odd while Run changes `channels` */
  weft_engine engines[CHANNELS];
  const float* in[CHANNELS];
  float* out[CHANNELS];
  float* latency;
  LV2_URID key, chunk; /* 0: the host maps no URIs, so it cannot save */
} Plugin;

static void Process(Plugin* plugin, uint32_t c, uint32_t frames) {
  Channel* const channel = &plugin->channels[c];
  weft_engine* const engine = &plugin->engines[c];
  for (uint32_t i = 0; i < frames; ++i) { /* the output may be the memory of the input */
    channel->next[channel->at] = plugin->in[c][i];
    if (++channel->at == FRAMES) {
      memcpy(weft_input(engine, 0).data, channel->next, sizeof(channel->next));
      if (weft_ok(weft_run(engine))) {
        memcpy(channel->ready, weft_output(engine, 0).data, sizeof(channel->ready));
      }
      channel->at = 0;
    }
    plugin->out[c][i] = channel->ready[channel->at];
  }
}

static void Run(LV2_Handle handle, uint32_t frames) {
  Plugin* const plugin = handle;
  atomic_fetch_add_explicit(&plugin->changes, 1, memory_order_acq_rel);
  for (uint32_t c = 0; c < CHANNELS; ++c) Process(plugin, c, frames);
  atomic_fetch_add_explicit(&plugin->changes, 1, memory_order_acq_rel);
  if (plugin->latency) *plugin->latency = FRAMES - 1 + MODEL_LATENCY;
}

static int OpenChannels(Plugin* plugin) {
  for (uint32_t c = 0; c < CHANNELS; ++c) {
    const weft_memory memory = {{plugin->channels[c].state, MODEL_STATE_BYTES},
                                {plugin->scratch, MODEL_SCRATCH_BYTES},
                                {{0, 0}}};
    weft_engine* const engine = &plugin->engines[c];
    if (!weft_ok(weft_open(model_model, MODEL_MODEL_BYTES, model_steps, memory, engine))) return 0;
    const weft_tensor in = weft_input(engine, 0), out = weft_output(engine, 0);
    if (in.type != WEFT_F32 || in.bytes != FRAMES * sizeof(float) || out.type != WEFT_F32 ||
        out.bytes != FRAMES * sizeof(float) || weft_input(engine, 1).data) {
      return 0;
    }
  }
  return 1;
}

/* Runs once on silence, which brings the code and the weights into memory, and clears the history.
 */
static void WarmUp(Plugin* plugin) {
  float silence[FRAMES] = {0}, output[FRAMES];
  for (uint32_t c = 0; c < CHANNELS; ++c) plugin->in[c] = silence, plugin->out[c] = output;
  Run(plugin, FRAMES);
  for (uint32_t c = 0; c < CHANNELS; ++c) {
    Channel* const channel = &plugin->channels[c];
    memset(channel, 0, sizeof(*channel));
    weft_reset(&plugin->engines[c]);
    plugin->in[c] = NULL, plugin->out[c] = NULL;
  }
  memcpy(plugin->start, plugin->channels, sizeof(plugin->start));
}

static LV2_Handle Instantiate(const LV2_Descriptor* descriptor, double rate, const char* path,
                              const LV2_Feature* const* features) {
  (void)descriptor, (void)rate, (void)path;
  Plugin* const plugin = aligned_alloc(kAlignment, sizeof(Plugin));
  if (!plugin) return NULL;
  memset(plugin, 0, sizeof(*plugin));
  if (!OpenChannels(plugin)) {
    free(plugin);
    return NULL;
  }
  WarmUp(plugin);
  for (; features && *features; ++features) {
    if (strcmp((*features)->URI, LV2_URID__map) == 0) {
      const LV2_URID_Map* const map = (*features)->data;
      plugin->key = map->map(map->handle, PLUGIN_URI "#history");
      plugin->chunk = map->map(map->handle, LV2_ATOM__Chunk);
    }
  }
  /* Without the permission (RLIMIT_MEMLOCK), the system may evict the pages when memory is low. */
  (void)mlock(plugin, sizeof(*plugin));
  (void)mlock(model_model, MODEL_MODEL_BYTES);
  return plugin;
}

static void Connect(LV2_Handle handle, uint32_t port, void* data) {
  Plugin* const plugin = handle;
  if (port < CHANNELS) {
    plugin->in[port] = data;
  } else if (port < 2 * CHANNELS) {
    plugin->out[port - CHANNELS] = data;
  } else if (port == 2 * CHANNELS) {
    plugin->latency = data;
  }
}

static void Activate(LV2_Handle handle) {
  Plugin* const plugin = handle;
  memcpy(plugin->channels, plugin->start, sizeof(plugin->channels));
}

static void Cleanup(LV2_Handle handle) {
  (void)munlock(handle, sizeof(Plugin)); /* the model stays locked for other instances */
  free(handle);
}

/* Presets: this header, then the channels. */
typedef struct Header {
  uint64_t layout; /* of the model's state */
  uint32_t frames, channels;
} Header;

enum { kSavedBytes = sizeof(Header) + CHANNELS * sizeof(Channel) };
static const Header header_of_plugin = {MODEL_STATE_LAYOUT, FRAMES, CHANNELS};

/* A host may save while Run executes, so the copy is repeated until Run changed nothing. */
static int CopyChannels(Plugin* plugin) {
  for (int i = 0; i < kSaveTries; ++i) {
    const unsigned before = atomic_load_explicit(&plugin->changes, memory_order_acquire);
    memcpy(plugin->copy, plugin->channels, sizeof(plugin->copy));
    atomic_thread_fence(memory_order_acquire);
    const unsigned after = atomic_load_explicit(&plugin->changes, memory_order_relaxed);
    if (before == after && before % 2 == 0) return 1;
  }
  return 0;
}

static LV2_State_Status Save(LV2_Handle handle, LV2_State_Store_Function store,
                             LV2_State_Handle state, uint32_t flags,
                             const LV2_Feature* const* features) {
  Plugin* const plugin = handle;
  (void)flags, (void)features;
  if (plugin->key == 0) return LV2_STATE_ERR_NO_FEATURE;
  if (!CopyChannels(plugin)) return LV2_STATE_ERR_UNKNOWN;
  unsigned char* const bytes = malloc(kSavedBytes);
  if (!bytes) return LV2_STATE_ERR_UNKNOWN;
  memcpy(bytes, &header_of_plugin, sizeof(Header));
  memcpy(bytes + sizeof(Header), plugin->copy, sizeof(plugin->copy));
  const LV2_State_Status status =
      store(state, plugin->key, bytes, kSavedBytes, plugin->chunk, LV2_STATE_IS_POD);
  free(bytes);
  return status;
}

static LV2_State_Status Restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve,
                                LV2_State_Handle state, uint32_t flags,
                                const LV2_Feature* const* features) {
  Plugin* const plugin = handle;
  (void)flags, (void)features;
  if (plugin->key == 0) return LV2_STATE_ERR_NO_FEATURE;
  size_t size = 0;
  uint32_t type = 0, property_flags = 0;
  const unsigned char* const bytes = retrieve(state, plugin->key, &size, &type, &property_flags);
  if (!bytes) return LV2_STATE_ERR_NO_PROPERTY;
  Channel channels[CHANNELS];
  if (type != plugin->chunk || size != kSavedBytes) return LV2_STATE_ERR_BAD_TYPE;
  if (memcmp(bytes, &header_of_plugin, sizeof(Header)) != 0) return LV2_STATE_ERR_BAD_TYPE;
  memcpy(channels, bytes + sizeof(Header), sizeof(channels));
  for (uint32_t c = 0; c < CHANNELS; ++c) {
    if (channels[c].at >= FRAMES) return LV2_STATE_ERR_BAD_TYPE;
  }
  memcpy(plugin->start, channels, sizeof(channels));
  memcpy(plugin->channels, channels, sizeof(channels));
  return LV2_STATE_SUCCESS;
}

static const void* ExtensionData(const char* uri) {
  static const LV2_State_Interface state = {Save, Restore};
  return strcmp(uri, LV2_STATE__interface) == 0 ? &state : NULL;
}

static const LV2_Descriptor descriptor_of_plugin = {
    PLUGIN_URI, Instantiate, Connect, Activate, Run, NULL, Cleanup, ExtensionData,
};

LV2_SYMBOL_EXPORT const LV2_Descriptor* lv2_descriptor(uint32_t index) {
  return index == 0 ? &descriptor_of_plugin : NULL;
}
