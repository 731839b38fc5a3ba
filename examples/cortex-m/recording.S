/* SPDX-License-Identifier: Apache-2.0
 * The recording (RECORDING names a WAV file: mono, 16 bit, 8 kHz, 44 bytes of header) as a constant
 * array of samples between recording_begin and recording_end. */
        .section .rodata.recording, "a", %progbits
        .global recording_begin, recording_end
        .balign 4
recording_begin:
        .incbin RECORDING, 44
recording_end:
