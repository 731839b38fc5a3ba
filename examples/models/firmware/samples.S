/* SPDX-License-Identifier: Apache-2.0
 * The inputs of all runs, which SAMPLES contains, between samples_begin and samples_end. */
        .section .rodata.samples, "a", %progbits
        .global samples_begin, samples_end
        .balign 16
samples_begin:
        .incbin SAMPLES
samples_end:
