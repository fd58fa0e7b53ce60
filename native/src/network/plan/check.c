/* What is refused of a layer before anything is planned: nothing of it is believed. */
#include "network/plan/plan.h"

#define CHANNELS_AND_GROUPS "its channels and groups, which do not go together"

/* A tensor of the arena, and what it is called in refusals. */
struct place {
  uint64_t offset, pixels;
  uint32_t bytes, stride; /* of a pixel, from pixel to pixel */
  const char *stride_name, *end_name;
};

/* Does it lie in the arena? */
static int32_t check_place(struct place place, size_t arena_bytes, struct neonsim_refusal *refusal) {
  NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_STRIDE_TOO_SMALL, place.stride_name, place.stride, place.bytes, UINT32_MAX));
  const uint64_t before_last = place.pixels - 1;
  const int outside = place.offset > arena_bytes || place.bytes > arena_bytes || before_last > arena_bytes / place.stride ||
                      before_last * place.stride + place.bytes > arena_bytes - place.offset;
  const double end = (double)place.offset + (double)before_last * place.stride + place.bytes;
  return outside ? neonsim_require(refusal, NEONSIM_SIZE_TOO_LARGE, place.end_name,
                                   fmax(end, nextafter((double)arena_bytes, INFINITY)), 0, (double)arena_bytes)
                 : NEONSIM_SUCCESS;
}

static int finds(const struct neonsim_layer *layer) {
  return layer->kind == NEONSIM_LAYER_ARGMAX || layer->kind == NEONSIM_LAYER_ARGMIN;
}

static int is_f32(const struct neonsim_layer *layer) {
  switch (layer->kind) {
    case NEONSIM_LAYER_F32_CONV:
    case NEONSIM_LAYER_F32_DEPTHWISE:
    case NEONSIM_LAYER_F32_BATCH_NORM:
    case NEONSIM_LAYER_F32_ADD:
    case NEONSIM_LAYER_F32_CLAMP:
    case NEONSIM_LAYER_F32_LEAKY_RELU:
    case NEONSIM_LAYER_F32_AVERAGE_POOL:
    case NEONSIM_LAYER_F32_MAX_POOL:
    case NEONSIM_LAYER_F32_SOFTMAX: return 1;
    default: return 0;
  }
}

/* Numbers of four bytes, not bytes. */
static int reads_int32(const struct neonsim_layer *layer) {
  return is_f32(layer) || layer->kind == NEONSIM_LAYER_REQUANTIZE || layer->kind == NEONSIM_LAYER_QUANTIZE ||
         neonsim_is_ncnn(layer->kind);
}

static int writes_int32(const struct neonsim_layer *layer) {
  return is_f32(layer) || layer->rounding == NEONSIM_ROUND_NONE || layer->kind == NEONSIM_LAYER_DEQUANTIZE ||
         layer->kind == NEONSIM_LAYER_NCNN_DEQUANTIZE || finds(layer);
}

/* Integers of 16 bits beside float32. */
static int reads_int16(const struct neonsim_layer *layer) {
  return layer->kind == NEONSIM_LAYER_DEQUANTIZE && layer->multiplier == 2;
}

static int writes_int16(const struct neonsim_layer *layer) {
  return layer->kind == NEONSIM_LAYER_QUANTIZE && layer->second_multiplier == 2;
}

/* Bytes of a pixel: 4 a channel where it holds words. */
static uint32_t input_bytes(const struct neonsim_layer *layer) {
  return layer->input_channels * (reads_int32(layer) ? 4 : reads_int16(layer) ? 2 : 1);
}

static uint32_t output_bytes(const struct neonsim_layer *layer) {
  return layer->output_channels * (writes_int32(layer) ? 4 : writes_int16(layer) ? 2 : 1);
}

/* Words lie where int32 and float may, halves where int16 may. */
static int int32_aligned(const struct neonsim_layer *layer) {
  if ((reads_int16(layer) && (layer->input % 2 != 0 || layer->input_stride % 2 != 0)) ||
      (writes_int16(layer) && (layer->output % 2 != 0 || layer->output_stride % 2 != 0))) {
    return 0;
  }
  const int read = !reads_int32(layer) || (layer->input % 4 == 0 && layer->input_stride % 4 == 0);
  const int second = layer->kind != NEONSIM_LAYER_F32_ADD || (layer->second % 4 == 0 && layer->second_stride % 4 == 0);
  const int written = !writes_int32(layer) || (layer->output % 4 == 0 && layer->output_stride % 4 == 0);
  return read && second && written;
}

static int32_t check_byte(int32_t value, const char *name, struct neonsim_refusal *refusal) {
  return neonsim_require(refusal, NEONSIM_INVALID_PARAMETER, name, value, 0, 255);
}

/* MOST: of a size. MOST_WINDOW: taps of a window, whose bytes' sum is an int32. */
enum { MOST = 1 << 20, MAX_WINDOW = (1 << 23) - 1 };

static int32_t check_sizes(const struct neonsim_layer *layer, struct neonsim_refusal *refusal) {
  const struct {
    const char *name;
    uint32_t value;
  } sizes[] = {
      {"batch", layer->batch},
      {"height of the input", layer->input_height},
      {"width of the input", layer->input_width},
      {"number of channels of the input", layer->input_channels},
      {"height of the output", layer->output_height},
      {"width of the output", layer->output_width},
      {"number of channels of the output", layer->output_channels},
      {"height of the kernel", layer->kernel_height},
      {"width of the kernel", layer->kernel_width},
      {"stride down", layer->stride_height},
      {"stride across", layer->stride_width},
      {"dilation down", layer->dilation_height},
      {"dilation across", layer->dilation_width},
      {"number of groups", layer->groups},
  };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const int32_t status = sizes[i].value == 0 ? NEONSIM_ZERO_SIZE : NEONSIM_SIZE_TOO_LARGE;
    NEONSIM_CHECK(neonsim_require(refusal, status, sizes[i].name, sizes[i].value, 1, MOST));
  }
  NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_INVALID_PARAMETER, "kind", layer->kind, 0, NEONSIM_LAYER_KINDS - 1));
  NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_INVALID_PARAMETER, "padding above", layer->pad_top, 0, MOST));
  NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_INVALID_PARAMETER, "padding to the left", layer->pad_left, 0, MOST));
  const double before = (double)layer->batch * layer->input_height, after = (double)layer->batch * layer->output_height;
  NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_SIZE_TOO_LARGE, "number of rows of all inputs", before, 1, UINT32_MAX));
  NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_SIZE_TOO_LARGE, "number of rows of all outputs", after, 1, UINT32_MAX));
  return neonsim_require(refusal, NEONSIM_SIZE_TOO_LARGE, NEONSIM_TAPS_OF_KERNEL,
                         (double)layer->kernel_height * layer->kernel_width, 1, MAX_WINDOW);
}

/* Rows or columns from the first window's first tap to the last one's last: coordinates are 32 bits wide on small processors. */
static double reach_of(uint32_t outputs, uint32_t stride, uint32_t taps, uint32_t dilation) {
  return (double)(outputs - 1) * stride + (double)(taps - 1) * dilation;
}

/* Weights, of layers that multiply. */
static int32_t check_weights(const struct neonsim_layer *layer, struct neonsim_refusal *refusal) {
  if (layer->weights == NULL) {
    return neonsim_refuse(refusal, NEONSIM_NULL_POINTER, "the pointer to its weights");
  }
  const int wrong_groups = layer->input_channels % layer->groups != 0 || layer->output_channels % layer->groups != 0 ||
                           ((layer->kind == NEONSIM_LAYER_DEPTHWISE || layer->kind == NEONSIM_LAYER_F32_DEPTHWISE) &&
                            (layer->groups != layer->input_channels || layer->groups != layer->output_channels));
  if (wrong_groups) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, CHANNELS_AND_GROUPS);
  }
  NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_INVALID_PARAMETER, "zero point of the weights", layer->weight_zero_point, 0,
                                layer->weights_signed ? 0 : 255));
  const double row = (double)layer->kernel_height * layer->kernel_width * (layer->input_channels / layer->groups);
  return neonsim_require(refusal, NEONSIM_SIZE_TOO_LARGE, "number of weights", row * layer->output_channels, 1,
                         (double)(PTRDIFF_MAX / 2));
}

static int32_t check_second(const struct neonsim_layer *layer, size_t arena_bytes, struct neonsim_refusal *refusal) {
  const int32_t most = 1 << 22; /* so that no sum leaves int32 */
  NEONSIM_CHECK(check_byte(layer->second_zero_point, "zero point of the second operand", refusal));
  if (layer->kind == NEONSIM_LAYER_ADD) {
    NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_INVALID_PARAMETER, "multiplier", layer->multiplier, -most, most));
    NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_INVALID_PARAMETER, "multiplier of the second operand", layer->second_multiplier,
                                  -most, most));
  }
  const uint64_t pixels = (uint64_t)layer->batch * layer->input_height * layer->input_width;
  const struct place second = {layer->second,
                               pixels,
                               input_bytes(layer),
                               layer->second_stride,
                               "stride of the second operand",
                               "byte of the arena at which the second operand ends"};
  return check_place(second, arena_bytes, refusal);
}

/* Number `index` of a layer's table, which need not be aligned. */
static int64_t entry_of(const struct neonsim_layer *layer, uint64_t index) { return neonsim_bias(layer, (size_t)index); }

#define NUMBERS_OF_TABLE "how many numbers its table has"

static uint64_t bytes_of(uint64_t pixels, uint32_t bytes) { return pixels * bytes; }

/* Every run lies in the input, and together they are as long as the output. */
static int32_t check_gather(const struct neonsim_layer *layer, struct neonsim_refusal *refusal) {
  const int32_t wrong = NEONSIM_INVALID_PARAMETER;
  const uint64_t axes = layer->groups, head = 1 + axes;
  NEONSIM_CHECK(neonsim_require(refusal, wrong, "number of axes", (double)axes, 1, NEONSIM_MAX_AXES));
  NEONSIM_CHECK(neonsim_require(refusal, wrong, NUMBERS_OF_TABLE, layer->scales, (double)head, UINT32_MAX));
  NEONSIM_CHECK(
      neonsim_require(refusal, wrong, "stride of the input", layer->input_stride, layer->input_channels, layer->input_channels));
  NEONSIM_CHECK(neonsim_require(refusal, wrong, "stride of the output", layer->output_stride, layer->output_channels,
                                layer->output_channels));
  const uint64_t read = bytes_of((uint64_t)layer->input_height * layer->input_width * layer->batch, layer->input_channels);
  const uint64_t made = bytes_of((uint64_t)layer->output_height * layer->output_width * layer->batch, layer->output_channels);
  const int64_t run = entry_of(layer, 0);
  NEONSIM_CHECK(neonsim_require(refusal, wrong, "number of bytes of a run", (double)run, 1, (double)read));
  double whole = (double)run;
  uint64_t numbers = head;
  for (uint64_t axis = 0; axis < axes; axis++) {
    const int64_t size = entry_of(layer, 1 + axis);
    NEONSIM_CHECK(neonsim_require(refusal, wrong, "size of an axis", (double)size, 1, INT32_MAX));
    whole *= (double)size;
    numbers += (uint64_t)size;
  }
  NEONSIM_CHECK(neonsim_require(refusal, wrong, NUMBERS_OF_TABLE, layer->scales, (double)numbers, (double)numbers));
  NEONSIM_CHECK(neonsim_require(refusal, wrong, "number of bytes that it makes", whole, (double)made, (double)made));
  uint64_t at = head;
  double furthest = (double)run;
  for (uint64_t axis = 0; axis < axes; axis++) {
    int64_t most = 0;
    for (int64_t i = 0, size = entry_of(layer, 1 + axis); i < size; i++) {
      const int64_t begin = entry_of(layer, at++);
      NEONSIM_CHECK(neonsim_require(refusal, wrong, "place of an index", (double)begin, -1, INT32_MAX));
      most = begin > most ? begin : most;
    }
    furthest += (double)most;
  }
  return neonsim_require(refusal, wrong, "byte of the input at which a run ends", furthest, 0, (double)read);
}

static int32_t check_bilinear(const struct neonsim_layer *layer, struct neonsim_refusal *refusal) {
  const int32_t wrong = NEONSIM_INVALID_PARAMETER;
  const double numbers = 3.0 * ((double)layer->output_height + layer->output_width);
  NEONSIM_CHECK(neonsim_require(refusal, wrong, NUMBERS_OF_TABLE, layer->scales, numbers, numbers));
  for (uint64_t i = 0; i < layer->scales; i++) {
    const uint32_t size = i < 3 * (uint64_t)layer->output_height ? layer->input_height : layer->input_width;
    const char *name = i % 3 == 2 ? "share of the second in its table" : "row or column in its table";
    NEONSIM_CHECK(
        neonsim_require(refusal, wrong, name, (double)entry_of(layer, i), 0, i % 3 == 2 ? NEONSIM_BILINEAR_ONE : size - 1.0));
  }
  return NEONSIM_SUCCESS;
}

static int32_t check_table(const struct neonsim_layer *layer, struct neonsim_refusal *refusal) {
  if (layer->bias == NULL) {
    return neonsim_refuse(refusal, NEONSIM_NULL_POINTER, "the pointer to its table");
  }
  return layer->kind == NEONSIM_LAYER_GATHER ? check_gather(layer, refusal) : check_bilinear(layer, refusal);
}

/* Kinds whose second operand counts. */
static int takes_two(const struct neonsim_layer *layer) {
  return layer->kind == NEONSIM_LAYER_ADD || layer->kind == NEONSIM_LAYER_MULTIPLY || layer->kind == NEONSIM_LAYER_MAXIMUM ||
         layer->kind == NEONSIM_LAYER_MINIMUM || layer->kind == NEONSIM_LAYER_LUT_PAIR || layer->kind == NEONSIM_LAYER_F32_ADD;
}

/* Products wider than bytes: channels of elements, groups, weights. Numbers of channels are looked at when they are kept. */
static int32_t check_int64_gemm(const struct neonsim_layer *layer, struct neonsim_refusal *refusal) {
  const int32_t in = layer->multiplier, out = layer->second_multiplier;
  if ((in != 1 && in != 2 && in != 4 && in != 8) || (out != 2 && out != 4 && out != 8)) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, "the size of its elements");
  }
  if (layer->rounding != NEONSIM_ROUND_UP) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, "its rounding");
  }
  if (layer->weights == NULL || layer->bias == NULL) {
    return neonsim_refuse(refusal, NEONSIM_NULL_POINTER, "the pointer to its weights, or to its numbers");
  }
  const uint32_t inputs = layer->input_channels / (uint32_t)in, outputs = layer->output_channels / (uint32_t)out;
  if (layer->input_channels % (uint32_t)in != 0 || layer->output_channels % (uint32_t)out != 0 || inputs % layer->groups != 0 ||
      outputs % layer->groups != 0) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, CHANNELS_AND_GROUPS);
  }
  if (!layer->weights_signed) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, "the type of its weights, which is not int8");
  }
  const double row = (double)layer->kernel_height * layer->kernel_width * (inputs / layer->groups);
  return neonsim_require(refusal, NEONSIM_SIZE_TOO_LARGE, "number of weights", row * outputs, 1, INT32_MAX);
}

static int32_t check_fields(const struct neonsim_layer *layer, size_t arena_bytes, struct neonsim_refusal *refusal) {
  NEONSIM_CHECK(check_sizes(layer, refusal));
  const double down = reach_of(layer->output_height, layer->stride_height, layer->kernel_height, layer->dilation_height);
  const double across = reach_of(layer->output_width, layer->stride_width, layer->kernel_width, layer->dilation_width);
  NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_SIZE_TOO_LARGE, "reach of its windows", fmax(down, across), 0, INT32_MAX - 1));
  const int multiplies = layer->kind == NEONSIM_LAYER_CONV || layer->kind == NEONSIM_LAYER_DEPTHWISE ||
                         layer->kind == NEONSIM_LAYER_F32_CONV || layer->kind == NEONSIM_LAYER_F32_DEPTHWISE;
  if (layer->rounding == NEONSIM_ROUND_NONE && !multiplies) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, "its rounding");
  }
  if (!int32_aligned(layer)) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, "the place of its numbers, which is no multiple of 4");
  }
  const uint64_t before = (uint64_t)layer->batch * layer->input_height * layer->input_width;
  const uint64_t after = (uint64_t)layer->batch * layer->output_height * layer->output_width;
  const struct place input = {layer->input,          before,
                              input_bytes(layer),    layer->input_stride,
                              "stride of the input", "byte of the arena at which the input ends"};
  const struct place output = {layer->output,          after,
                               output_bytes(layer),    layer->output_stride,
                               "stride of the output", "byte of the arena at which the output ends"};
  NEONSIM_CHECK(check_place(input, arena_bytes, refusal));
  NEONSIM_CHECK(check_place(output, arena_bytes, refusal));
  NEONSIM_CHECK(check_byte(layer->input_zero_point, "zero point of the input", refusal));
  NEONSIM_CHECK(check_byte(layer->output_zero_point, "zero point of the output", refusal));
  NEONSIM_CHECK(check_byte(layer->output_max, "upper limit", refusal));
  NEONSIM_CHECK(neonsim_require(refusal, NEONSIM_INVALID_PARAMETER, "lower limit", layer->output_min, 0, layer->output_max));
  if (multiplies) {
    return check_weights(layer, refusal);
  }
  if (layer->kind == NEONSIM_LAYER_INT64_GEMM) {
    return check_int64_gemm(layer, refusal);
  }
  if (layer->kind == NEONSIM_LAYER_IM2COL) {
    /* Copies are made in sixteens: nothing of others may lie between rows. */
    const uint64_t row = (uint64_t)layer->kernel_height * layer->kernel_width * layer->input_channels;
    const int32_t wrong = NEONSIM_INVALID_PARAMETER;
    NEONSIM_CHECK(
        neonsim_require(refusal, wrong, "number of channels of the output", layer->output_channels, (double)row, (double)row));
    NEONSIM_CHECK(neonsim_require(refusal, wrong, "stride of the output", layer->output_stride, (double)row, (double)row));
    return layer->input_channels % layer->groups == 0 ? NEONSIM_SUCCESS : neonsim_refuse(refusal, wrong, CHANNELS_AND_GROUPS);
  }
  if (layer->kind == NEONSIM_LAYER_GATHER) {
    return check_table(layer, refusal);
  }
  const uint32_t kept = finds(layer) ? 1 : layer->input_channels;
  if (kept != layer->output_channels || layer->output_channels % layer->groups != 0) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, CHANNELS_AND_GROUPS);
  }
  const int same_size = layer->input_height == layer->output_height && layer->input_width == layer->output_width;
  const int f32_windows = layer->kind == NEONSIM_LAYER_F32_AVERAGE_POOL || layer->kind == NEONSIM_LAYER_F32_MAX_POOL;
  const int windows = f32_windows || layer->kind == NEONSIM_LAYER_AVERAGE_POOL || layer->kind == NEONSIM_LAYER_MAX_POOL;
  if (layer->kind == NEONSIM_LAYER_BILINEAR) {
    return check_table(layer, refusal);
  }
  if (!windows && !same_size) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, "the size of its output, which is not that of its input");
  }
  if (windows && !f32_windows && (layer->dilation_height != 1 || layer->dilation_width != 1)) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, "the dilation of its windows");
  }
  return takes_two(layer) ? check_second(layer, arena_bytes, refusal) : NEONSIM_SUCCESS;
}

/* Bytes of the arena: as many of each pixel, pixels `stride` apart; 0 where there is one only. */
struct span {
  uint64_t begin, end, bytes, stride;
};

static struct span span_of(uint64_t offset, uint64_t pixels, uint32_t stride, uint32_t bytes) {
  return (struct span){offset, offset + (pixels - 1) * stride + bytes, bytes, pixels == 1 ? 0 : stride};
}

static int same(struct span a, struct span b) { return a.begin == b.begin && a.end == b.end && a.stride == b.stride; }

/* Parts of one concatenation share a range of addresses but no byte. One pixel alone fits between those of any stride. */
static int interleaved(struct span a, struct span b) {
  const uint64_t stride = a.stride == 0 ? b.stride : a.stride;
  if (stride == 0 || (a.stride != b.stride && a.stride != 0 && b.stride != 0)) {
    return 0;
  }
  const uint64_t from = a.begin % stride, to = b.begin % stride, between = to < from ? to + stride - from : to - from;
  return between >= a.bytes && between + b.bytes <= stride;
}

static int apart(struct span a, struct span b) { return a.end <= b.begin || b.end <= a.begin || interleaved(a, b); }

static uint64_t pixels_before(const struct neonsim_layer *layer) {
  return (uint64_t)layer->batch * layer->input_height * layer->input_width;
}

static uint64_t pixels_after(const struct neonsim_layer *layer) {
  return (uint64_t)layer->batch * layer->output_height * layer->output_width;
}

/* Layers write where they read nothing, but for additions and products: each byte of those depends on those in its place alone. */
static int32_t check_overlap(const struct neonsim_layer *layer, struct neonsim_refusal *refusal) {
  const struct span input = span_of(layer->input, pixels_before(layer), layer->input_stride, input_bytes(layer));
  const struct span output = span_of(layer->output, pixels_after(layer), layer->output_stride, output_bytes(layer));
  int fine = apart(input, output);
  if (takes_two(layer)) {
    const struct span second = span_of(layer->second, pixels_before(layer), layer->second_stride, input_bytes(layer));
    fine = (fine || same(input, output)) && (apart(second, output) || same(second, output));
  }
  return fine ? NEONSIM_SUCCESS
              : neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, "the place of its output, which overlaps that of its input");
}

int neonsim_is_requantized_by(const struct neonsim_layer *before, const struct neonsim_layer *layer) {
  return same(span_of(before->output, pixels_after(before), before->output_stride, output_bytes(before)),
              span_of(layer->input, pixels_before(layer), layer->input_stride, input_bytes(layer)));
}

int32_t neonsim_check_fused_add(const struct neonsim_layer *gemm, const struct neonsim_layer *add,
                                struct neonsim_refusal *refusal) {
  const uint64_t read = pixels_before(gemm), made = pixels_after(gemm), pixels = pixels_after(add);
  if (gemm->kind != NEONSIM_LAYER_CONV || gemm->rounding == NEONSIM_ROUND_NONE || made != pixels ||
      gemm->output_channels != add->output_channels) {
    return neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, NEONSIM_NOT_FUSED);
  }
  const struct span input = span_of(gemm->input, read, gemm->input_stride, gemm->input_channels);
  const struct span output = span_of(gemm->output, pixels, gemm->output_stride, gemm->output_channels);
  const struct span first = span_of(add->input, pixels, add->input_stride, add->input_channels);
  const struct span second = span_of(add->second, pixels, add->second_stride, add->input_channels);
  const struct span sum = span_of(add->output, pixels, add->output_stride, add->output_channels);
  const struct span other = same(output, first) ? second : first;
  const int found = same(output, first) != same(output, second);
  const int safe = apart(sum, input) && apart(other, output) && (apart(sum, output) || same(sum, output)) &&
                   (apart(sum, other) || same(sum, other));
  return found && safe ? NEONSIM_SUCCESS : neonsim_refuse(refusal, NEONSIM_INVALID_PARAMETER, NEONSIM_NOT_FUSED);
}

int32_t neonsim_check_layer(const struct neonsim_layer *layer, size_t arena_bytes, struct neonsim_refusal *refusal) {
  NEONSIM_CHECK(check_fields(layer, arena_bytes, refusal));
  return check_overlap(layer, refusal);
}
