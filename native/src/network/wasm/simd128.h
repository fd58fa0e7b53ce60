/* The kernels of WebAssembly that more than one file names. */
#ifndef NEONSIM_WASM_SIMD128_H
#define NEONSIM_WASM_SIMD128_H

#include "network/x86/x86.h"

NEONSIM_X86_DEPTHWISE(rows, simd128);
NEONSIM_X86_DEPTHWISE(taps, simd128);
NEONSIM_X86_BYTES(simd128);
NEONSIM_X86_TWO_PASS(simd128);

#endif
