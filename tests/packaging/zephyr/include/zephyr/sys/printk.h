/* SPDX-License-Identifier: Apache-2.0
 * A stub of Zephyr's header. */
#ifndef WEFT_TESTS_PACKAGING_ZEPHYR_INCLUDE_ZEPHYR_SYS_PRINTK_H_
#define WEFT_TESTS_PACKAGING_ZEPHYR_INCLUDE_ZEPHYR_SYS_PRINTK_H_

#include <stdio.h>
#define printk printf

#endif /* WEFT_TESTS_PACKAGING_ZEPHYR_INCLUDE_ZEPHYR_SYS_PRINTK_H_ */
