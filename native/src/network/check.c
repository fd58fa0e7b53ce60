/* What is refused of a layer before anything is planned: nothing of it is believed. */
#include "plan.h"

/* Pixels of so many bytes at `offset`: do they lie in the arena? */
static int32_t check_tensor(uint64_t offset, uint64_t pixels, uint32_t bytes, uint32_t stride, size_t arena_bytes) {
  if (pixels == 0 || bytes == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  if (stride < bytes) {
    return NEONSIM_STRIDE_TOO_SMALL;
  }
  const uint64_t before_last = pixels - 1;
  if (offset > arena_bytes || bytes > arena_bytes || before_last > arena_bytes / stride ||
      before_last * stride + bytes > arena_bytes - offset) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  return NEONSIM_SUCCESS;
}

/* Bytes of a pixel: 4 a channel where it holds sums. */
static uint32_t input_bytes(const struct neonsim_layer *layer) {
  return layer->input_channels * (layer->kind == NEONSIM_LAYER_REQUANTIZE ? 4 : 1);
}

static uint32_t output_bytes(const struct neonsim_layer *layer) {
  return layer->output_channels * (layer->rounding == NEONSIM_ROUND_NONE ? 4 : 1);
}

/* Sums lie where int32 may. */
static int sums_aligned(const struct neonsim_layer *layer) {
  const int read = layer->kind != NEONSIM_LAYER_REQUANTIZE || (layer->input % 4 == 0 && layer->input_stride % 4 == 0);
  const int written = layer->rounding != NEONSIM_ROUND_NONE || (layer->output % 4 == 0 && layer->output_stride % 4 == 0);
  return read && written;
}

static int is_byte(int32_t value) { return value >= 0 && value <= 255; }

static int32_t check_fields(const struct neonsim_layer *layer, size_t arena_bytes) {
  enum { MOST = 1 << 20 };
  const uint32_t sizes[] = {layer->batch, layer->input_height, layer->input_width, layer->input_channels, layer->output_height,
                            layer->output_width, layer->output_channels, layer->kernel_height, layer->kernel_width,
                            layer->stride_height, layer->stride_width, layer->dilation_height, layer->dilation_width, layer->groups};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    if (sizes[i] == 0) {
      return NEONSIM_ZERO_SIZE;
    }
    if (sizes[i] > MOST) {
      return NEONSIM_SIZE_TOO_LARGE;
    }
  }
  if (layer->kind < 0 || layer->kind >= NEONSIM_LAYER_KINDS || layer->pad_top > MOST || layer->pad_left > MOST) {
    return NEONSIM_INVALID_PARAMETER;
  }
  const uint64_t before = (uint64_t)layer->batch * layer->input_height, after = (uint64_t)layer->batch * layer->output_height;
  if (before > UINT32_MAX || after > UINT32_MAX || (uint64_t)layer->kernel_height * layer->kernel_width > MOST) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  const int multiplies = layer->kind == NEONSIM_LAYER_CONV || layer->kind == NEONSIM_LAYER_DEPTHWISE;
  if ((layer->rounding == NEONSIM_ROUND_NONE && !multiplies) || !sums_aligned(layer)) {
    return NEONSIM_INVALID_PARAMETER;
  }
  NEONSIM_CHECK(check_tensor(layer->input, before * layer->input_width, input_bytes(layer), layer->input_stride, arena_bytes));
  NEONSIM_CHECK(check_tensor(layer->output, after * layer->output_width, output_bytes(layer), layer->output_stride, arena_bytes));
  if (!is_byte(layer->input_zero_point) || !is_byte(layer->output_zero_point) || !is_byte(layer->output_min) ||
      !is_byte(layer->output_max) || layer->output_min > layer->output_max) {
    return NEONSIM_INVALID_PARAMETER;
  }
  if (multiplies) {
    if (layer->weights == NULL) {
      return NEONSIM_NULL_POINTER;
    }
    const int wrong_groups = layer->input_channels % layer->groups != 0 || layer->output_channels % layer->groups != 0 ||
                             (layer->kind == NEONSIM_LAYER_DEPTHWISE &&
                              (layer->groups != layer->input_channels || layer->groups != layer->output_channels));
    if (wrong_groups || (layer->weights_signed ? layer->weight_zero_point != 0 : !is_byte(layer->weight_zero_point))) {
      return NEONSIM_INVALID_PARAMETER;
    }
    return NEONSIM_SUCCESS;
  }
  if (layer->kind == NEONSIM_LAYER_IM2COL) {
    /* Copies are made in sixteens: nothing of others may lie between rows. */
    const uint64_t row = (uint64_t)layer->kernel_height * layer->kernel_width * layer->input_channels;
    return layer->input_channels % layer->groups == 0 && layer->output_channels == row && layer->output_stride == row
               ? NEONSIM_SUCCESS
               : NEONSIM_INVALID_PARAMETER;
  }
  if (layer->input_channels != layer->output_channels || layer->output_channels % layer->groups != 0) {
    return NEONSIM_INVALID_PARAMETER;
  }
  const int same_size = layer->input_height == layer->output_height && layer->input_width == layer->output_width;
  const int windows = layer->kind == NEONSIM_LAYER_AVERAGE || layer->kind == NEONSIM_LAYER_MAX;
  if (windows ? layer->dilation_height != 1 || layer->dilation_width != 1 : !same_size) {
    return NEONSIM_INVALID_PARAMETER;
  }
  if (layer->kind == NEONSIM_LAYER_ADD) {
    const int32_t most = 1 << 22; /* so that no sum leaves int32 */
    if (!is_byte(layer->second_zero_point) || layer->multiplier < -most || layer->multiplier > most ||
        layer->second_multiplier < -most || layer->second_multiplier > most) {
      return NEONSIM_INVALID_PARAMETER;
    }
    NEONSIM_CHECK(check_tensor(layer->second, before * layer->input_width, layer->input_channels, layer->second_stride, arena_bytes));
  }
  return NEONSIM_SUCCESS;
}

/* Layers may read and write the same place only where each byte depends on that byte alone. */
static int32_t check_overlap(const struct neonsim_layer *layer) {
  if (layer->kind == NEONSIM_LAYER_ADD) {
    return NEONSIM_SUCCESS;
  }
  const uint64_t before = (uint64_t)layer->batch * layer->input_height * layer->input_width - 1;
  const uint64_t after = (uint64_t)layer->batch * layer->output_height * layer->output_width - 1;
  const uint64_t input_end = layer->input + before * layer->input_stride + input_bytes(layer);
  const uint64_t output_end = layer->output + after * layer->output_stride + output_bytes(layer);
  /* Parts of one concatenation share a range of addresses but no byte. */
  const int bytes_only = layer->kind != NEONSIM_LAYER_REQUANTIZE && layer->rounding != NEONSIM_ROUND_NONE;
  const int interleaved = bytes_only && layer->input_stride == layer->output_stride && layer->input_stride > layer->input_channels &&
                          layer->output_stride > layer->output_channels;
  const int apart = input_end <= layer->output || output_end <= layer->input;
  return apart || interleaved ? NEONSIM_SUCCESS : NEONSIM_INVALID_PARAMETER;
}

/* Bytes of the arena. */
struct span {
  uint64_t begin, end;
  uint32_t stride;
};

static struct span span_of(uint64_t offset, uint64_t pixels, uint32_t stride, uint32_t bytes) {
  return (struct span){offset, offset + (pixels - 1) * stride + bytes, stride};
}

static int apart(struct span a, struct span b) { return a.end <= b.begin || b.end <= a.begin; }

static int same(struct span a, struct span b) { return a.begin == b.begin && a.end == b.end && a.stride == b.stride; }

int32_t neonsim_check_joined(const struct neonsim_layer *product, const struct neonsim_layer *add) {
  const uint64_t read = (uint64_t)product->batch * product->input_height * product->input_width;
  const uint64_t made = (uint64_t)product->batch * product->output_height * product->output_width;
  const uint64_t pixels = (uint64_t)add->batch * add->output_height * add->output_width;
  if (product->kind != NEONSIM_LAYER_CONV || product->rounding == NEONSIM_ROUND_NONE || made != pixels ||
      product->output_channels != add->output_channels) {
    return NEONSIM_INVALID_PARAMETER;
  }
  const struct span input = span_of(product->input, read, product->input_stride, product->input_channels);
  const struct span output = span_of(product->output, pixels, product->output_stride, product->output_channels);
  const struct span first = span_of(add->input, pixels, add->input_stride, add->input_channels);
  const struct span second = span_of(add->second, pixels, add->second_stride, add->input_channels);
  const struct span sum = span_of(add->output, pixels, add->output_stride, add->output_channels);
  const struct span other = same(output, first) ? second : first;
  const int found = same(output, first) != same(output, second);
  const int safe = apart(sum, input) && apart(other, output) && (apart(sum, output) || same(sum, output)) &&
                   (apart(sum, other) || same(sum, other));
  return found && safe ? NEONSIM_SUCCESS : NEONSIM_INVALID_PARAMETER;
}

int32_t neonsim_check_layer(const struct neonsim_layer *layer, size_t arena_bytes) {
  NEONSIM_CHECK(check_fields(layer, arena_bytes));
  return check_overlap(layer);
}
