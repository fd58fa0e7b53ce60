/* Planning: layers are checked and packed once, kernels and tasks chosen. */
#define _DEFAULT_SOURCE /* sysconf under -std=c11 */
#include <float.h>
#include <math.h>
#if !defined(_WIN32)
#include <unistd.h>
#endif

#include "network/gemm/gemm.h"
#include "network/plan/plan.h"

int32_t neonsim_plan_requant(struct neonsim_step *step, double limit) {
  const struct neonsim_layer *layer = &step->layer;
  struct neonsim_requant *requant = &step->requant;
  const int q31 = layer->rounding == NEONSIM_ROUND_Q31; /* others may have left anything in these two */
  *requant = (struct neonsim_requant){
      .zero_point = (int16_t)layer->output_zero_point,
      .min = (uint8_t)layer->output_min,
      .max = (uint8_t)layer->output_max,
      .multiplier = q31 ? layer->multiplier : 0,
      .shift = q31 ? layer->shift : 0,
  };
  step->limit = limit;
  const int wide = layer->kind != NEONSIM_LAYER_REQUANTIZE && neonsim_is_double_scale(layer->rounding);
  if (layer->rounding == NEONSIM_ROUND_NONE || wide) {
    requant->finish = FINISH_S32;
    if (step->family->requantize == NULL) {
      return neonsim_refuse(&step->refusal, NEONSIM_UNAVAILABLE_VARIANT, "leaving sums in memory, which these kernels do not do");
    }
    return wide ? neonsim_plan_double_scale(step) : NEONSIM_SUCCESS;
  }
  if (layer->rounding == NEONSIM_ROUND_FP32) {
    if (layer->scale == NULL) {
      return neonsim_refuse(&step->refusal, NEONSIM_NULL_POINTER, "the pointer to its scales");
    }
    if (layer->scales != 1) {
      NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "number of scales", layer->scales,
                                    layer->output_channels, layer->output_channels));
    }
    for (size_t i = 0; i < layer->scales; i++) {
      NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "scale of a channel", neonsim_scale(layer, i),
                                    FLT_TRUE_MIN, FLT_MAX));
    }
    requant->finish = FINISH_FP32;
    return NEONSIM_SUCCESS;
  }
  if (layer->rounding != NEONSIM_ROUND_Q31) {
    return neonsim_refuse(&step->refusal, NEONSIM_INVALID_PARAMETER, "its rounding");
  }
  NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "multiplier", layer->multiplier, 0x40000000, INT32_MAX));
  NEONSIM_CHECK(neonsim_require(&step->refusal, NEONSIM_INVALID_PARAMETER, "shift", layer->shift, 0, 31));
  /* Sum, multiplier and what is added must be floats without rounding; zero points have 8 bits. */
  const int exact = limit < 16777216.0 && (layer->multiplier & 0x7f) == 0 && layer->shift + 1 + 8 <= 24;
  requant->finish = exact ? FINISH_Q31_FLOAT : FINISH_Q31;
  if (exact) {
    const float half = (float)layer->output_zero_point + 0.5f, bit = layer->shift == 0 ? 0 : ldexpf(1, -layer->shift - 1);
    requant->positive = half + bit;
    requant->negative = half - bit;
  }
  return NEONSIM_SUCCESS;
}

static size_t processors(void) {
#if defined(_SC_NPROCESSORS_ONLN)
  const long found = sysconf(_SC_NPROCESSORS_ONLN);
  return found < 1 ? 1 : neonsim_min((size_t)found, NEONSIM_MAX_MEMBERS);
#else
  return 1;
#endif
}

/* before: the step before this one, or NULL. */
static int32_t plan_layer(struct neonsim_network *network, struct neonsim_step *step, struct neonsim_step *before,
                          const struct neonsim_layer *layer) {
  step->layer = *layer;
  const struct neonsim_family *family = network->family;
  step->family = family->supports != NULL && !family->supports(layer) ? family->fallback : family;
  step->arena = network->arena;
  step->not_a_number = &network->not_a_number;
  switch (layer->kind) {
    case NEONSIM_LAYER_CONV:
      NEONSIM_CHECK(layer->algorithm == NEONSIM_ALGORITHM_DIRECT ? neonsim_plan_gemm(step, processors())
                                                                 : neonsim_plan_winograd(step, processors()));
      break;
    case NEONSIM_LAYER_DEPTHWISE:
      NEONSIM_CHECK(layer->rounding == NEONSIM_ROUND_NONE || neonsim_is_double_scale(layer->rounding)
                        ? neonsim_plan_depthwise_passes(step)
                        : neonsim_plan_depthwise(step));
      break;
    case NEONSIM_LAYER_F32_CONV: NEONSIM_CHECK(neonsim_plan_f32_conv(step, processors())); break;
    case NEONSIM_LAYER_F32_DEPTHWISE: NEONSIM_CHECK(neonsim_plan_f32_depthwise(step)); break;
    case NEONSIM_LAYER_F32_BATCH_NORM:
    case NEONSIM_LAYER_F32_ADD:
    case NEONSIM_LAYER_F32_CLAMP:
    case NEONSIM_LAYER_F32_LEAKY_RELU:
    case NEONSIM_LAYER_F32_AVERAGE_POOL:
    case NEONSIM_LAYER_F32_MAX_POOL:
    case NEONSIM_LAYER_F32_SOFTMAX: NEONSIM_CHECK(neonsim_plan_f32(step)); break;
    case NEONSIM_LAYER_IM2COL: NEONSIM_CHECK(neonsim_plan_im2col(step)); break;
    case NEONSIM_LAYER_REQUANTIZE:
      if (before == NULL || before->requant.finish != FINISH_S32 || before->double_scale != NULL ||
          !neonsim_is_requantized_by(&before->layer, layer)) {
        return neonsim_refuse(&step->refusal, NEONSIM_INVALID_PARAMETER,
                              "what it reads, which is not the sums of the layer before");
      }
      NEONSIM_CHECK(neonsim_plan_requantize(step, before->limit));
      break;
    case NEONSIM_LAYER_NCNN_QUANTIZE:
    case NEONSIM_LAYER_NCNN_DEQUANTIZE:
    case NEONSIM_LAYER_NCNN_REQUANTIZE: NEONSIM_CHECK(neonsim_plan_ncnn(step)); break;
    default: NEONSIM_CHECK(neonsim_plan_weightless(step)); break;
  }
  if (layer->fuse_with_previous) {
    if (layer->kind != NEONSIM_LAYER_ADD || before == NULL) {
      return neonsim_refuse(&step->refusal, NEONSIM_INVALID_PARAMETER, NEONSIM_NOT_FUSED);
    }
    NEONSIM_CHECK(neonsim_check_fused_add(&before->layer, layer, &step->refusal));
    if (neonsim_writes_full_rows(before)) {
      before->fused_add = step;
      step->tasks = 0;
    }
  }
  step->layer.weights = NULL;
  step->layer.bias = NULL;
  step->layer.scale = NULL;
  step->layer.double_scale = NULL;
  network->packed_bytes += step->packed_bytes + step->zero_bytes;
  network->scratch_bytes = step->scratch_bytes > network->scratch_bytes ? step->scratch_bytes : network->scratch_bytes;
  return NEONSIM_SUCCESS;
}

void neonsim_network_destroy(struct neonsim_network *network) {
  if (network == NULL) {
    return;
  }
  for (size_t i = 0; network->steps != NULL && i < network->count; i++) {
    neonsim_release(network->steps[i].packed);
    neonsim_release(network->steps[i].zeros);
    neonsim_release_int16_runs(&network->steps[i]);
    neonsim_release(network->steps[i].panels);
    neonsim_release(network->steps[i].tap_list);
    neonsim_release(network->steps[i].double_scale);
  }
  neonsim_release(network->steps);
  neonsim_release(network->progress);
  neonsim_release(network->slices);
  neonsim_release(network->scratch);
  neonsim_release(network->arena);
  neonsim_release(network);
}

static int32_t plan_all(struct neonsim_network *network, const struct neonsim_layer *layers, size_t arena_bytes,
                        struct neonsim_refusal *refusal) {
  network->arena = neonsim_allocate(arena_bytes);
  network->arena_bytes = arena_bytes;
  network->steps = neonsim_allocate(network->count * sizeof *network->steps);
  network->members = processors();
  network->progress = neonsim_allocate(network->count * sizeof *network->progress);
  network->slices = neonsim_allocate(network->count * network->members * sizeof *network->slices);
  if (network->arena == NULL || network->steps == NULL || network->progress == NULL || network->slices == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < network->count; i++) {
    struct neonsim_step *step = &network->steps[i];
    const int32_t status = plan_layer(network, step, i == 0 ? NULL : step - 1, &layers[i]);
    if (status != NEONSIM_SUCCESS) {
      *refusal = step->refusal;
      refusal->layer = i;
      return status;
    }
  }
  network->scratch_bytes = neonsim_lines(network->scratch_bytes);
  if (network->scratch_bytes > PTRDIFF_MAX / NEONSIM_MAX_MEMBERS) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  network->scratch = neonsim_allocate(network->members * network->scratch_bytes);
  return network->scratch == NULL ? NEONSIM_OUT_OF_MEMORY : NEONSIM_SUCCESS;
}

int32_t neonsim_network_create(const struct neonsim_layer *layers, size_t count, size_t arena_bytes, const char *family,
                               struct neonsim_network **network, struct neonsim_refusal *refusal) {
  struct neonsim_refusal ignored;
  refusal = refusal == NULL ? &ignored : refusal;
  *refusal = (struct neonsim_refusal){.layer = count, .least = 1};
  if (layers == NULL || network == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  *network = NULL;
  if (count == 0 || arena_bytes == 0) {
    return NEONSIM_ZERO_SIZE;
  }
  if (count > 1 << 20 || arena_bytes > PTRDIFF_MAX / 2) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  const struct neonsim_family *found;
  const int32_t there = neonsim_find_family(family, &found);
  if (there != NEONSIM_SUCCESS && there != NEONSIM_UNAVAILABLE_VARIANT) { /* planned for another processor: runs are refused */
    return there;
  }
  for (size_t i = 0; i < count; i++) {
    /* All of them, before memory is asked for. */
    const int32_t status = neonsim_check_layer(&layers[i], arena_bytes, refusal);
    if (status != NEONSIM_SUCCESS) {
      refusal->layer = i;
      return status;
    }
  }
  neonsim_thread_pool_prepare();
  struct neonsim_network *made = neonsim_allocate(sizeof *made);
  if (made == NULL) {
    return NEONSIM_OUT_OF_MEMORY;
  }
  made->family = found;
  made->count = count;
  const int32_t status = plan_all(made, layers, arena_bytes, refusal);
  if (status != NEONSIM_SUCCESS) {
    neonsim_network_destroy(made);
    return status;
  }
  *network = made;
  return NEONSIM_SUCCESS;
}

uint8_t *neonsim_network_arena(struct neonsim_network *network) { return network == NULL ? NULL : network->arena; }

const char *neonsim_network_family(const struct neonsim_network *network) { return network == NULL ? "" : network->family->name; }

size_t neonsim_network_packed_bytes(const struct neonsim_network *network) { return network == NULL ? 0 : network->packed_bytes; }

int32_t neonsim_network_gemm_choice(const struct neonsim_network *network, size_t layer, struct neonsim_gemm_choice *choice) {
  if (network == NULL || choice == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (layer >= network->count) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  const struct neonsim_step *step = &network->steps[layer];
  *choice = step->choice;
  choice->family = step->family->name;
  choice->int16_accumulation = step->family->int16_accumulation;
  return NEONSIM_SUCCESS;
}
