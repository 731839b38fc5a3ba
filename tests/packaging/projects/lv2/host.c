/* SPDX-License-Identifier: Apache-2.0
 * host IN.f32 FIRST.so OUT.f32 [SECOND.so OUT.f32]...: runs mono plug-ins of examples/lv2 together
 * in one process and writes their outputs. Blocks of every size must give equal bits, Run must not
 * allocate or take a page fault, and a restored plug-in must continue as the saved one. Prints the
 * latency of each plug-in, or what is wrong. */
#include <dlfcn.h>
#include <lv2/core/lv2.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { kMaxSamples = 1 << 16, kMaxUris = 16, kMaxPlugins = 3, kAllAtOnce = 0, kMixed = -1 };

typedef struct Loaded {
  const LV2_Descriptor* descriptor;
  LV2_Handle handle;
  float in[kMaxSamples], out[kMaxSamples], expected[kMaxSamples];
  float latency;
  char uri_of_state[64];
} Loaded;

typedef struct Property {
  uint32_t key, type, flags;
  size_t size;
  unsigned char bytes[1 << 16];
} Property;

static Loaded plugins[kMaxPlugins];
static Property property;
static char* uris[kMaxUris];

static void Fail(const char* what) {
  printf("%s\n", what);
  exit(1);
}

static LV2_URID Map(LV2_URID_Map_Handle handle, const char* uri) {
  (void)handle;
  for (int i = 0; i < kMaxUris; ++i) {
    if (!uris[i]) uris[i] = strdup(uri);
    if (strcmp(uris[i], uri) == 0) return (LV2_URID)(i + 1);
  }
  return 0;
}

static LV2_State_Status Store(LV2_State_Handle handle, uint32_t key, const void* bytes, size_t size,
                              uint32_t type, uint32_t flags) {
  Property* const to = handle;
  if (size > sizeof(to->bytes)) return LV2_STATE_ERR_NO_SPACE;
  to->key = key, to->size = size, to->type = type, to->flags = flags;
  memcpy(to->bytes, bytes, size);
  return LV2_STATE_SUCCESS;
}

static const void* Retrieve(LV2_State_Handle handle, uint32_t key, size_t* size, uint32_t* type,
                            uint32_t* flags) {
  Property* const from = handle;
  *size = from->size, *type = from->type, *flags = from->flags;
  return key == from->key ? from->bytes : NULL;
}

static LV2_Handle New(Loaded* plugin) {
  static LV2_URID_Map map = {NULL, Map};
  static const LV2_Feature feature = {LV2_URID__map, &map};
  static const LV2_Feature* const features[] = {&feature, NULL};
  const LV2_Handle handle =
      plugin->descriptor->instantiate(plugin->descriptor, 48000, "", features);
  if (!handle) Fail("instantiate fails");
  return handle;
}

/* Runs the samples [begin, end) in blocks of `block` samples; with kMixed, of 1 to 97. */
static void RunBlocks(Loaded* plugin, LV2_Handle handle, int begin, int end, int block) {
  int mixed = 1;
  for (int at = begin; at < end;) {
    int count = block == kAllAtOnce ? end - at : block == kMixed ? mixed : block;
    if (count > end - at) count = end - at;
    mixed = mixed * 31 % 97;
    plugin->descriptor->connect_port(handle, 0, plugin->in + at);
    plugin->descriptor->connect_port(handle, 1, plugin->out + at);
    plugin->descriptor->connect_port(handle, 2, &plugin->latency);
    plugin->descriptor->run(handle, (uint32_t)count);
    at += count;
  }
}

static long Faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

/* Compares the outputs of all sizes of blocks, and counts allocations and page faults. */
static void CheckBlocks(Loaded* plugin, int samples) {
  static const int kBlocks[] = {1, 2, 31, 32, 33, 64, 1000, kMixed, kAllAtOnce};
  const size_t bytes = (size_t)samples * sizeof(float);
  memset(plugin->expected, 1, sizeof(plugin->expected));
  if (Faults() < 0 || mallinfo2().uordblks == 0) Fail("the host cannot count"); /* brings them in */
  for (size_t i = 0; i < sizeof(kBlocks) / sizeof(*kBlocks); ++i) {
    plugin->descriptor->activate(plugin->handle);
    memset(plugin->out, 1, sizeof(plugin->out));
    const long faults = Faults();
    const size_t heap = mallinfo2().uordblks;
    RunBlocks(plugin, plugin->handle, 0, samples, kBlocks[i]);
    if (mallinfo2().uordblks != heap) Fail("run allocates");
    if (Faults() != faults) Fail("run takes a page fault");
    if (i == 0) memcpy(plugin->expected, plugin->out, bytes);
    if (memcmp(plugin->expected, plugin->out, bytes) != 0) Fail("the bits depend on the blocks");
  }
}

/* Saves in the middle, restores in a new instance, and compares the second half. */
static void CheckState(Loaded* plugin, int samples) {
  const LV2_State_Interface* const state = plugin->descriptor->extension_data(LV2_STATE__interface);
  if (!state) Fail("has no state interface");
  const int half = samples / 2 + 5;
  plugin->descriptor->activate(plugin->handle);
  RunBlocks(plugin, plugin->handle, 0, half, kMixed);
  if (state->save(plugin->handle, Store, &property, 0, NULL) != LV2_STATE_SUCCESS) {
    Fail("save fails");
  }
  if (!(property.flags & LV2_STATE_IS_POD)) Fail("the state is not POD");
  const LV2_Handle other = New(plugin);
  if (state->restore(other, Retrieve, &property, 0, NULL) != LV2_STATE_SUCCESS) {
    Fail("restore fails");
  }
  plugin->descriptor->activate(other);
  memset(plugin->out, 1, sizeof(plugin->out));
  RunBlocks(plugin, other, half, samples, kMixed);
  if (memcmp(plugin->expected + half, plugin->out + half,
             (size_t)(samples - half) * sizeof(float)) != 0) {
    Fail("the restored plug-in continues differently");
  }
  property.bytes[0] ^= 1; /* the layout of another model */
  if (state->restore(other, Retrieve, &property, 0, NULL) == LV2_STATE_SUCCESS) {
    Fail("restore accepts another model's state");
  }
  property.size -= 1;
  if (state->restore(other, Retrieve, &property, 0, NULL) == LV2_STATE_SUCCESS) {
    Fail("restore accepts a state of another size");
  }
  plugin->descriptor->cleanup(other);
}

/* A plug-in of another FRAMES must reject the state, also if its size is equal. */
static void CheckOtherState(Loaded* from, Loaded* to) {
  const LV2_State_Interface* const save = from->descriptor->extension_data(LV2_STATE__interface);
  const LV2_State_Interface* const restore = to->descriptor->extension_data(LV2_STATE__interface);
  save->save(from->handle, Store, &property, 0, NULL);
  property.key = Map(NULL, to->uri_of_state);
  if (restore->restore(to->handle, Retrieve, &property, 0, NULL) == LV2_STATE_SUCCESS) {
    Fail("restore accepts the state of another plug-in");
  }
}

static void Load(Loaded* plugin, const char* path) {
  void* const module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!module) Fail(dlerror());
  const LV2_Descriptor_Function descriptor =
      (LV2_Descriptor_Function)dlsym(module, "lv2_descriptor");
  plugin->descriptor = descriptor ? descriptor(0) : NULL;
  if (!plugin->descriptor) Fail("has no descriptor");
  snprintf(plugin->uri_of_state, sizeof(plugin->uri_of_state), "%s#history",
           plugin->descriptor->URI);
  plugin->handle = New(plugin);
}

int main(int count, char** words) {
  const int plugin_count = (count - 2) / 2;
  FILE* const file = fopen(words[1], "rb");
  if (!file || plugin_count < 1 || plugin_count > kMaxPlugins) Fail("usage");
  const int samples = (int)fread(plugins[0].in, sizeof(float), kMaxSamples, file);
  fclose(file);
  for (int i = 0; i < plugin_count; ++i) {
    memcpy(plugins[i].in, plugins[0].in, sizeof(plugins[i].in));
    Load(&plugins[i], words[2 + 2 * i]);
  }
  for (int i = 0; i < plugin_count; ++i) {
    CheckBlocks(&plugins[i], samples);
    CheckState(&plugins[i], samples);
    FILE* const out = fopen(words[3 + 2 * i], "wb");
    if (!out) Fail("no output file");
    fwrite(plugins[i].expected, sizeof(float), (size_t)samples, out);
    fclose(out);
    printf("%g;", plugins[i].latency);
  }
  for (int i = 1; i < plugin_count; ++i) {
    CheckOtherState(&plugins[i], &plugins[i - 1]);
    CheckOtherState(&plugins[i - 1], &plugins[i]);
  }
  for (int i = 0; i < plugin_count; ++i) plugins[i].descriptor->cleanup(plugins[i].handle);
  printf("\n");
  return 0;
}
