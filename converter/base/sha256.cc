// SPDX-License-Identifier: Apache-2.0
#include "converter/base/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace weft {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr uint32_t kRounds[64] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};
constexpr size_t kBlockBytes = 64, kLengthBytes = 8;

using State = std::array<uint32_t, 8>;

uint64_t BigEndian(const std::byte* bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
  return value;
}

void AddBlock(const std::byte* block, State& state) {
  uint32_t w[64];
  for (size_t i = 0; i < 16; ++i) w[i] = static_cast<uint32_t>(BigEndian(block + 4 * i, 4));
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
    const uint32_t first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + choice + kRounds[i] + w[i];
    const uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const State added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

}  // namespace

std::string Sha256Of(std::span<const std::byte> bytes) {
  State state = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
  const size_t whole_bytes = bytes.size() / kBlockBytes * kBlockBytes;
  for (size_t at = 0; at < whole_bytes; at += kBlockBytes) AddBlock(bytes.data() + at, state);
  // The rest, a bit 1, zeros, and the length in bits.
  std::array<std::byte, 2 * kBlockBytes> tail = {};
  const size_t rest_bytes = bytes.size() - whole_bytes;
  if (rest_bytes > 0) std::memcpy(tail.data(), bytes.data() + whole_bytes, rest_bytes);
  tail[rest_bytes] = std::byte{0x80};
  const bool fits = rest_bytes + 1 + kLengthBytes <= kBlockBytes;
  const size_t tail_bytes = fits ? kBlockBytes : 2 * kBlockBytes;
  const uint64_t bits = uint64_t{bytes.size()} * 8;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    tail[tail_bytes - 1 - i] = static_cast<std::byte>(bits >> (8 * i) & 0xFF);
  }
  for (size_t at = 0; at < tail_bytes; at += kBlockBytes) AddBlock(tail.data() + at, state);
  std::string text;
  for (const uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace weft
