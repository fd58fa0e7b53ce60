/* neonsim: whole networks. Layers over one arena, planned once (weights packed, kernels chosen) and run often.
 *
 *   neonsim_network_create    packs and checks; keeps nothing of the caller's
 *   neonsim_network_arena     where tensors lie: write the input there, read results there
 *   neonsim_network_run       all layers; no allocation, the same bytes for any number of threads
 *
 * All tensors are uint8, NHWC, a pixel's channels side by side and pixels `stride` bytes apart. An int8 tensor is kept as
 * value + 128 (top bit flipped), and every zero point and limit given for it is the int8 one plus 128.
 *
 * A layer writes where it reads nothing, but for ADD, whose output may lie exactly where an operand lies (the same first byte and
 * stride). Pixels of two tensors may alternate in memory, as in concatenations. All else that overlaps is refused
 * (NEONSIM_INVALID_PARAMETER), as is what does not lie in the arena (NEONSIM_SIZE_TOO_LARGE): no description makes a network that reads
 * or writes anything else, as long as scale, weights and bias are as long as the layer says.
 *
 * Results are those of the contracts (neonsim.h): the same sums, modulo 2**32, the same rounding, byte for byte, on every family of
 * kernels. There is no bound on biases, weights and depths, nor on what a sum times its scale may be.
 */
#ifndef NEONSIM_NETWORK_H
#define NEONSIM_NETWORK_H

#include "neonsim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of layers, in the order of their numbers: NEONSIM_LAYER_CONV = 0 and so on. */
#define NEONSIM_LAYER_LIST(X) \
  X(CONV)      /* also fully connected layers: 1x1 over one pixel */ \
  X(DEPTHWISE) /* groups = channels in = channels out */ \
  X(ADD) \
  X(AVERAGE_POOL) /* windows; outside lies the zero point, and it counts. Global: a window of the whole image. FP32: see scale */ \
  X(MAX_POOL)     /* windows; outside does not count */ \
  X(SHUFFLE)      /* channels of `groups` dealt out */ \
  X(COPY)         /* pixels to another place, for concatenations */ \
  X(IM2COL)       /* windows copied side by side: [group][kernel_height][kernel_width][input_channels / groups] */ \
  X(LUT)          /* each byte by a table: weights, uint8 [256] */ \
  X(LUT_PAIR)     /* two bytes of one place by a table: weights, uint8 [256][256]; operands as of ADD */ \
  X(SOFTMAX)    /* shares of the channels of a pixel in 1/256: scale, float [256], exponentials of what bytes fall short of the \
                 * largest by; rounding AWAY, or UP: as of a half added in single precision. GEMMLOWP: in \
                 * fixed point, weights, int32 [256] with 31 bits behind the point, of up to 4095 channels */ \
  X(REQUANTIZE) /* int32 sums that the layer before it left, as CONV and DEPTHWISE would have made bytes of them */ \
  X(GATHER)     /* bytes picked axis by axis: slices, transposes, padding. See neonsim_layer.bias */ \
  X(MULTIPLY)   /* of two tensors, element by element; rounding FP32, one scale, whose products are cut off at the limits first */ \
  X(BILINEAR)   /* images of another size, each byte between four. See neonsim_layer.bias */ \
  X(INT64_GEMM) /* products wider than bytes, also depthwise ones: see neonsim_layer.bias */ \
  X(MAXIMUM)    /* the larger byte of two */ \
  X(MINIMUM)    /* the smaller one */ \
  X(ARGMAX)     /* where the largest byte of a pixel is, the first of them: int32, one a pixel */ \
  X(ARGMIN)     /* where the smallest is */ \
  /* Of float32, in and out: channels counted as numbers, limits in `scale`. See below */ \
  X(F32_CONV)       /* as CONV; by which way: algorithm */ \
  X(F32_DEPTHWISE)  /* groups = channels in = channels out */ \
  X(F32_BATCH_NORM) /* each channel times a gain (weights) plus an offset (bias), rounded once */ \
  X(F32_ADD) \
  X(F32_CLAMP)        /* limits and nothing else */ \
  X(F32_LEAKY_RELU)   /* negative numbers times a slope */ \
  X(F32_AVERAGE_POOL) /* windows; outside neither counts nor is added */ \
  X(F32_MAX_POOL)     /* windows; NaN if there is one, +0 above -0 */ \
  X(F32_SOFTMAX)      /* shares of the channels of a pixel */ \
  X(NCNN_QUANTIZE) /* float times scale[0], to nearest, half away from zero, cut off at -127 and 127, plus 128. NaN: the run fails with \
                 * NEONSIM_NOT_A_NUMBER */ \
  X(NCNN_DEQUANTIZE) /* int32 sums to floats, by channels: see neonsim_layer.scale */ \
  X(NCNN_REQUANTIZE) /* the same, then as NCNN_QUANTIZE */ \
  X(QUANTIZE)   /* float times scale[0], to nearest even, plus the zero point; F32_QUOTIENT: divided by it, half away from zero; \
                    * RUY8: in whole eights of the tensor times 1 / scale[0], half to even, else divided in double precision, half \
                    * away. NaN is the upper limit; where scale[1] is not 0 the run fails, as by NCNN_QUANTIZE, where it is 2 also by \
                    * numbers of 2**30 steps and more. With second_multiplier 2 to int16, never FP32, with scale[2] as its zero \
                    * point and no limits */ \
  X(DEQUANTIZE) /* each byte by a table of floats: scale [256]; RUY8: [512], one for whole eights of the tensor, one for the rest; \
                    * with multiplier 2 integers of 16 bits, times scale[0] */

#define NEONSIM_LAYER_NUMBER(name) NEONSIM_LAYER_##name,
enum neonsim_layer_kind { NEONSIM_LAYER_LIST(NEONSIM_LAYER_NUMBER) NEONSIM_LAYER_KINDS };

/* How sums become bytes. Conv and depthwise take Q31, FP32, NONE and those behind it; requantize the first two; average and add the
 * integer ones. */
enum neonsim_rounding {
  NEONSIM_ROUND_Q31 = 0, /* multiplier Q31 and shift 0..31: twice, half up then half away from zero */
  NEONSIM_ROUND_FP32,    /* scale: float product, to nearest even */
  NEONSIM_ROUND_AWAY,    /* (sum * multiplier) / 2**shift, once, half away from zero */
  NEONSIM_ROUND_UP,      /* the same, half up */
  NEONSIM_ROUND_NONE,    /* int32 sums are left as they are, output_stride bytes from pixel to pixel; for NEONSIM_LAYER_REQUANTIZE.
                          * Depthwise: in as many passes over a row of sums as there are taps. How others did it before (A15, A38) */
  /* Conv and depthwise, by scales in double precision with multipliers of 31 bits; the first also average, by multiplier and shift. */
  NEONSIM_ROUND_GEMMLOWP, /* half up, then half away from zero */
  NEONSIM_ROUND_RUY,      /* half up twice */
  NEONSIM_ROUND_RUY8,     /* the same in whole eights of channels, GEMMLOWP in those left over */
  NEONSIM_ROUND_FP64,     /* product in double precision, half away from zero */
  /* Conv and depthwise, by scales in single precision, given as double. How Tengine does it (F10). */
  NEONSIM_ROUND_TENGINE,     /* multiplier of 24 bits, half up; then a shift, half up; to the left it loses what leaves 32 bits */
  NEONSIM_ROUND_F32_QUOTIENT /* sum, product, and quotient by scale[0] in single precision; half away from zero */
};

/* How an F32_CONV or a CONV is computed: who plans a network chooses, layer by layer. Of float32 all but DIRECT may give other
 * bits; of bytes every way gives the same. */
#define NEONSIM_ALGORITHM_LIST(X) \
  X(DIRECT) /* chains of fused multiply-adds, window after window: the definition */ \
  X(WINOGRAD_2) /* n results along each axis of 3, 5 or 7 taps, stride and dilation 1, one group; float32_winograd.c. Weights: transformed, */ \
  X(WINOGRAD_3) /* [numbers of a tile][output_channels][input_channels]. CONV: winograd.c, weights as they are */ \
  X(WINOGRAD_4) X(WINOGRAD_5) X(WINOGRAD_6) X(WINOGRAD_7) X(WINOGRAD_8)

#define NEONSIM_ALGORITHM_NUMBER(name) NEONSIM_ALGORITHM_##name,
enum neonsim_algorithm { NEONSIM_ALGORITHM_LIST(NEONSIM_ALGORITHM_NUMBER) NEONSIM_ALGORITHMS };

/* Layers of float32. Every result has one set of bits, on all families and for any number of threads:
 *
 *   F32_CONV, F32_DEPTHWISE     the bias, then for ky, kx and the channels of the group, in this order: sum = x * w + sum, rounded
 *                               once (a fused multiply-add). Pixels outside are zeros that take part
 *   F32_AVERAGE_POOL            pixels of the window added up in order, rounded each time, times float(1 / their number)
 *   F32_SOFTMAX                 exp(number * (x - largest)) over their sum in the order of channels; exp by a polynomial, see float32.c
 *
 * scale has three numbers: low and high, at which results are cut off, low <= high, may be infinite; and the slope of F32_LEAKY_RELU, the
 * factor of F32_SOFTMAX, else anything. weights and bias are float; NULL for a bias: zeros. Tensors lie at multiples of 4 bytes.
 * Where a result is no number it is a NaN, of any sign and payload; limits leave it. */
struct neonsim_layer {
  int32_t kind; /* enum neonsim_layer_kind */
  uint32_t batch;
  uint32_t input_height, input_width, input_channels;
  uint32_t output_height, output_width, output_channels;
  uint32_t kernel_height, kernel_width;
  uint32_t stride_height, stride_width;
  uint32_t dilation_height, dilation_width;
  uint32_t pad_top, pad_left;
  uint32_t groups;
  uint32_t input_stride, second_stride, output_stride; /* bytes from pixel to pixel */
  uint64_t input, second, output;                      /* first bytes in the arena; second: of ADD, MULTIPLY, MAXIMUM, MINIMUM */
  int32_t input_zero_point, second_zero_point, output_zero_point; /* 0..255 */
  int32_t output_min, output_max;                                 /* 0..255 */
  int32_t rounding;                                               /* enum neonsim_rounding */
  int32_t weights_signed;                                         /* 0: uint8 with weight_zero_point, 1: int8 */
  int32_t weight_zero_point;
  int32_t multiplier, second_multiplier; /* Q31, AWAY, UP; second: of ADD */
  int32_t shift;                         /* to the right */
  uint32_t scales;                       /* FP32: 1 for all channels, or output_channels; each positive and finite. SOFTMAX,
                                          * DEQUANTIZE: 256, 512 or 1. AVERAGE_POOL: 2. QUANTIZE: 3. NCNN_DEQUANTIZE, NCNN_REQUANTIZE: 2 * channels + 3. float32: 3.
                                          * GATHER, BILINEAR: numbers that bias has */
  /* AVERAGE_POOL with FP32: the sum of bytes less their zero points, times scale[0], plus scale[1], each rounded to single precision, is
   * rounded to nearest even, and output_zero_point is added.
   * NCNN_DEQUANTIZE, NCNN_REQUANTIZE: a factor for every channel, then for every channel what is added (in one fused multiply-add, to the sum
   * rounded to single precision), then the limits, low and high, that may be infinite, then steps: as scale[0] of NCNN_QUANTIZE. */
  const float *scale;  /* scale, weights and bias may lie anywhere: they need no alignment */
  const void *weights; /* [output_channels][kernel_height][kernel_width][input_channels / groups] */
  /* [output_channels] or NULL.
   * GATHER: bytes of a run, then for each of `groups` axes, 1 .. 8, its size, then for each axis where in the input its indices begin,
   * in bytes, or -1 where there is nothing: the byte input_zero_point is taken. Run after run is put down, the last axis fastest; each
   * comes from the sum of what its indices say. Neither input nor output has anything between its pixels.
   * BILINEAR: for every row of the output the two rows that it lies between and how far from the first, in 1/2048; then the same
   * for columns. Across first, then down, rounded once, half up. */
  const int32_t *bias;
  /* INT64_GEMM: int64 [5][output channels]: bias, multiplier, minus the shift, and the least and the largest result. Elements are signed
   * integers: multiplier says of how many bytes those of the input are, 1, 2, 4 or 8, second_multiplier the result's, 2, 4 or 8;
   * input_channels and output_channels count bytes. int8 input lies there with 128 added, as everywhere. Results of 2 bytes are
   * requantized, (sum * multiplier + 2**(shift - 1)) >> shift, by multipliers of 0 .. 32767 and shifts of 8 .. 46; others are sums,
   * modulo 2**(8 * bytes). Weights are int8; rounding UP. */
  int32_t fuse_with_previous; /* ADD: may be done with the CONV before it, whose output is one of its operands, block
                                               * by block while that is in the cache: the same bytes. Its output may lie where an
                                               * operand lies, else apart from all that both read */
  const double
      *double_scale; /* GEMMLOWP, RUY, RUY8, FP64, TENGINE, F32_QUOTIENT: `scales` of them, each 0 and more and less than 2**30 */
  int32_t algorithm; /* F32_CONV, CONV: enum neonsim_algorithm */
};

struct neonsim_network; /* opaque */

/* Why a network is refused. */
struct neonsim_refusal {
  size_t layer; /* its index; the number of layers if it is no layer's doing */
  const char
      *quantity; /* what of it, in words: "number of taps of the kernel". NULL with no layer, and where there was no memory */
  double value, least, most; /* what it is, and what it may be; least > most where it is no number in a range */
};

/* family: which kernels, NULL for the best this processor runs.
 *   x86-64   "amx", "avx512vnni", "avx512bw" (without VNNI), "avxvnni" (256 bits), "avx2", "sse41", "sse2"
 *   Arm      "i8mm", "neondot", "neon"; "assembly": GEMM by the files of kernels/
 *   all      "scalar"
 * NEONSIM_UNKNOWN_VARIANT if there is none of this name. A network of a family that this processor lacks can be planned and looked at:
 * only running it is refused, with NEONSIM_UNAVAILABLE_VARIANT.
 * refusal: NULL, or where to write what is refused. */
NEONSIM_API int32_t neonsim_network_create(const struct neonsim_layer *layers, size_t count, size_t arena_bytes, const char *family,
                                           struct neonsim_network **network, struct neonsim_refusal *refusal);
NEONSIM_API void neonsim_network_destroy(struct neonsim_network *network);

/* The arena: `arena_bytes` bytes, 64-byte aligned, zero at first; NULL for NULL. */
NEONSIM_API uint8_t *neonsim_network_arena(struct neonsim_network *network);
/* What runs it, and what it holds besides the arena. */
NEONSIM_API const char *neonsim_network_family(const struct neonsim_network *network);
NEONSIM_API size_t neonsim_network_packed_bytes(const struct neonsim_network *network);

/* Whether a layer's product takes a level of Strassen, seven for eight (native/src/network/gemm/strassen.c), and if not, why: families without, and
 * products in runs of 16 bits, which are quicker still, are not asked. */
#define NEONSIM_STRASSEN_LIST(X) X(NOT_CONSIDERED) X(USED) X(GROUPED) X(FEW_ROWS) X(FEW_DEPTHS) X(FEW_COLUMNS)

#define NEONSIM_STRASSEN_NUMBER(name) NEONSIM_STRASSEN_##name,
enum neonsim_strassen { NEONSIM_STRASSEN_LIST(NEONSIM_STRASSEN_NUMBER) };

/* How a layer's products are multiplied: by which kernels, and whether in runs whose sums fit 16 bits (native/src/network/gemm/int16_accum.c).
 * The rest is zero where that was not looked into. */
struct neonsim_gemm_choice {
  const char *family;
  int32_t int16_accumulation;
  uint32_t percent;                            /* of the time in 32 bits that runs take, as modelled */
  uint64_t groups;                             /* of four depths, of all panels */
  uint64_t quad_runs, pair_runs, split_groups; /* runs of four and of two groups; groups whose weights are taken in parts */
  int32_t strassen;                            /* enum neonsim_strassen */
};
/* NEONSIM_SIZE_TOO_LARGE beyond the last layer. */
NEONSIM_API int32_t neonsim_network_gemm_choice(const struct neonsim_network *network, size_t layer,
                                                struct neonsim_gemm_choice *choice);

/* All layers in order. threads: how many may share the work, the caller among them. nanoseconds: NULL, or room for one number per
 * layer.
 *
 * Several threads may run one network: runs follow each other, each on the arena as the one before left it, as if one thread had done
 * them all. Writing the input, running and reading the result are three steps, and layers may write over the input: threads with inputs
 * of their own hold a lock around all three, or have a network each. Networks of their own run side by side. After fork the child may run
 * all networks, also one that another thread was running; its arena is then as that run had it. A network is destroyed once, by one
 * thread, when nobody runs it. */
NEONSIM_API int32_t neonsim_network_run(struct neonsim_network *network, size_t threads, uint64_t *nanoseconds);
/* NEONSIM_NOT_A_NUMBER, from any of the three that run: a layer met a NaN that it was to quantise; what the arena holds is of no use. */
/* Layers first .. last - 1 only, on the arena as it is. A fused addition runs with the one before it, and takes no time of its own. */
NEONSIM_API int32_t neonsim_network_run_part(struct neonsim_network *network, size_t first, size_t last, size_t threads,
                                             uint64_t *nanoseconds);

/* How many threads share a run that is given so many: not more than there are processors. */
NEONSIM_API size_t neonsim_network_members(const struct neonsim_network *network, size_t threads);
/* All layers, with the time that each thread waited for the others behind each: idle, [layers][members], nanoseconds. That of the first
 * layer begins with the run, so it has what passed until a thread was awake; UINT64_MAX of a thread that did none of a layer's tasks. */
NEONSIM_API int32_t neonsim_network_run_watched(struct neonsim_network *network, size_t threads, uint64_t *nanoseconds,
                                                uint64_t *idle);

/* Every one of `count` networks once, side by side, each by a thread of its own as long as there are processors: what as many copies
 * reach together is what a run shared by as many threads is measured by. NEONSIM_SIZE_TOO_LARGE for more than 64,
 * NEONSIM_INVALID_PARAMETER if one is there twice. */
NEONSIM_API int32_t neonsim_network_run_together(struct neonsim_network *const *networks, size_t count);

/* A tensor of the caller's and where it lies in the arena: rows without gaps in memory, `stride` bytes from row to row in the arena. */
struct neonsim_transfer {
  uint64_t offset; /* of the first byte in the arena */
  uint64_t rows, row_bytes, stride;
  uint32_t flips; /* XORed with every byte: 0, or 0x80 for int8 */
  void *memory;   /* rows * row_bytes bytes; those of inputs are only read */
};

/* Inputs in, all layers, results out, in one go that no other run of this network comes between; no allocation.
 * transfers: first the inputs, then the results. All are checked before anything is moved: NEONSIM_SIZE_TOO_LARGE outside the arena,
 * NEONSIM_STRIDE_TOO_SMALL, NEONSIM_INVALID_PARAMETER for flips beyond a byte.
 * nanoseconds: NULL, or room for three: moved in, layers, moved out. */
NEONSIM_API int32_t neonsim_network_run_bound(struct neonsim_network *network, const struct neonsim_transfer *transfers,
                                              size_t inputs, size_t results, size_t threads, uint64_t *nanoseconds);

/* Families of kernels, best first: name, and NULL or why it cannot run here. Returns NEONSIM_SIZE_TOO_LARGE beyond the last. */
NEONSIM_API int32_t neonsim_family_info(size_t index, const char **name, const char **missing);

/* Everything is allocated by these; NULL, NULL: malloc and free. For tests and embedders; not while a network lives. */
NEONSIM_API void neonsim_set_allocator(void *(*allocate)(size_t bytes), void (*release)(void *memory));

/* Dot-product rate of a family's inner loop, operands in registers: multiply-accumulates in a second, best of `repeats` runs on the
 * calling thread; 0 if the family cannot run here. The peak that layers are measured by. */
NEONSIM_API double neonsim_probe_peak(const char *family, size_t repeats);
/* The same of float32. */
NEONSIM_API double neonsim_probe_f32_peak(const char *family, size_t repeats);

#ifdef __cplusplus
}
#endif
#endif
