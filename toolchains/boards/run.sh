#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program on an emulated board: run.sh BOARD PROGRAM [ARGUMENT...]. Output, files and the
# exit code use semihosting; arguments must not contain blanks.
board=$1
program=$2
shift 2
emulator=qemu-system-arm
[ "$board" != virt ] || emulator='qemu-system-riscv32 -bios none'
exec $emulator -M "$board" -display none -serial none -monitor none \
  -semihosting-config enable=on,target=native ${QEMU_ICOUNT:+-icount "$QEMU_ICOUNT"} \
  -append "$*" -kernel "$program" </dev/null
