// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/snake.h"

#include "runtime/bind/step.h"

namespace weft::bind::snake {

static void Rules(const format::SnakeParams&, ParamChecker&) {}

WEFT_RUN(Snake, (outer)(channels)(inner))

}  // namespace weft::bind::snake

WEFT_BIND_STEP(snake, Snake)
