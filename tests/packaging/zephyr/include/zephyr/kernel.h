/* SPDX-License-Identifier: Apache-2.0
 * A stub of Zephyr's header: rejects code that is not compiled with Zephyr's options. */
#ifndef WEFT_TESTS_PACKAGING_ZEPHYR_INCLUDE_ZEPHYR_KERNEL_H_
#define WEFT_TESTS_PACKAGING_ZEPHYR_INCLUDE_ZEPHYR_KERNEL_H_

#include <stddef.h>
#include <stdint.h>

#ifndef __ZEPHYR__
#error "not compiled with the options of zephyr_interface"
#endif

#endif /* WEFT_TESTS_PACKAGING_ZEPHYR_INCLUDE_ZEPHYR_KERNEL_H_ */
