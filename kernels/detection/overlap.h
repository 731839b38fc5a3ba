// SPDX-License-Identifier: Apache-2.0
// Intersection over union of two boxes; 0 if a box has no area. Each operation is rounded
// separately, so that all targets select the same boxes. Internal to the kernels.
#ifndef WEFT_KERNELS_DETECTION_OVERLAP_H_
#define WEFT_KERNELS_DETECTION_OVERLAP_H_

namespace weft::kernels {

inline float Smaller(float a, float b) { return b < a ? b : a; }
inline float Larger(float a, float b) { return a < b ? b : a; }

struct Corners {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

inline float OverlapOf(const Corners& a, const Corners& b) {
  const float area_a = a.area(), area_b = b.area();
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = Larger(Smaller(a.bottom, b.bottom) - Larger(a.top, b.top), 0);
  const float width = Larger(Smaller(a.right, b.right) - Larger(a.left, b.left), 0);
  const float common = height * width;
  return common / (area_a + area_b - common);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_DETECTION_OVERLAP_H_
