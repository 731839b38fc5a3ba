// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool.h"

#include "runtime/bind/maps.h"

namespace weft::bind::pool {

static void Rules(const format::PoolParams& params, ParamChecker& check) {
  RequirePool(check, params);
}

WEFT_RUN(Pool, WEFT_POOL_FIELDS)

}  // namespace weft::bind::pool

WEFT_BIND_STEP(pool, Pool)
