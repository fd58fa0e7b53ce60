/* How the structs and numbers of these headers lie, for callers that write them down in another language: they compare. */
#include <stddef.h>

#include "neonsim_network.h"

/* Sizes alone would not tell these apart. */
#define TYPE(value) \
  _Generic((value), \
      int: "signed", \
      long: "signed", \
      long long: "signed", \
      unsigned: "unsigned", \
      unsigned long: "unsigned", \
      unsigned long long: "unsigned", \
      float: "real", \
      double: "real", \
      default: "pointer")
#define FIELD(record, field) \
  {#record, #field, TYPE(((struct record *)NULL)->field), offsetof(struct record, field), sizeof(((struct record *)NULL)->field)}
#define STRUCT(record) {#record, "", "", 0, sizeof(struct record)}

static const struct {
  const char *record, *name, *type;
  size_t offset, bytes;
} fields[] = {
    STRUCT(neonsim_variant_info),
    FIELD(neonsim_variant_info, name),
    FIELD(neonsim_variant_info, isa),
    FIELD(neonsim_variant_info, missing),
    FIELD(neonsim_variant_info, contract),
    FIELD(neonsim_variant_info, mr),
    FIELD(neonsim_variant_info, nr),
    FIELD(neonsim_variant_info, kr),
    FIELD(neonsim_variant_info, sr),
    FIELD(neonsim_variant_info, reads_before),
    FIELD(neonsim_variant_info, contract_name),
    STRUCT(neonsim_refusal),
    FIELD(neonsim_refusal, layer),
    FIELD(neonsim_refusal, quantity),
    FIELD(neonsim_refusal, value),
    FIELD(neonsim_refusal, least),
    FIELD(neonsim_refusal, most),
    STRUCT(neonsim_layer),
    FIELD(neonsim_layer, kind),
    FIELD(neonsim_layer, batch),
    FIELD(neonsim_layer, input_height),
    FIELD(neonsim_layer, input_width),
    FIELD(neonsim_layer, input_channels),
    FIELD(neonsim_layer, output_height),
    FIELD(neonsim_layer, output_width),
    FIELD(neonsim_layer, output_channels),
    FIELD(neonsim_layer, kernel_height),
    FIELD(neonsim_layer, kernel_width),
    FIELD(neonsim_layer, stride_height),
    FIELD(neonsim_layer, stride_width),
    FIELD(neonsim_layer, dilation_height),
    FIELD(neonsim_layer, dilation_width),
    FIELD(neonsim_layer, pad_top),
    FIELD(neonsim_layer, pad_left),
    FIELD(neonsim_layer, groups),
    FIELD(neonsim_layer, input_stride),
    FIELD(neonsim_layer, second_stride),
    FIELD(neonsim_layer, output_stride),
    FIELD(neonsim_layer, input),
    FIELD(neonsim_layer, second),
    FIELD(neonsim_layer, output),
    FIELD(neonsim_layer, input_zero_point),
    FIELD(neonsim_layer, second_zero_point),
    FIELD(neonsim_layer, output_zero_point),
    FIELD(neonsim_layer, output_min),
    FIELD(neonsim_layer, output_max),
    FIELD(neonsim_layer, rounding),
    FIELD(neonsim_layer, weights_signed),
    FIELD(neonsim_layer, weight_zero_point),
    FIELD(neonsim_layer, multiplier),
    FIELD(neonsim_layer, second_multiplier),
    FIELD(neonsim_layer, shift),
    FIELD(neonsim_layer, scales),
    FIELD(neonsim_layer, scale),
    FIELD(neonsim_layer, weights),
    FIELD(neonsim_layer, bias),
    FIELD(neonsim_layer, fuse_with_previous),
    FIELD(neonsim_layer, double_scale),
    FIELD(neonsim_layer, algorithm),
    STRUCT(neonsim_gemm_choice),
    FIELD(neonsim_gemm_choice, family),
    FIELD(neonsim_gemm_choice, int16_accumulation),
    FIELD(neonsim_gemm_choice, percent),
    FIELD(neonsim_gemm_choice, groups),
    FIELD(neonsim_gemm_choice, quad_runs),
    FIELD(neonsim_gemm_choice, pair_runs),
    FIELD(neonsim_gemm_choice, split_groups),
    FIELD(neonsim_gemm_choice, strassen),
    STRUCT(neonsim_transfer),
    FIELD(neonsim_transfer, offset),
    FIELD(neonsim_transfer, rows),
    FIELD(neonsim_transfer, row_bytes),
    FIELD(neonsim_transfer, stride),
    FIELD(neonsim_transfer, flips),
    FIELD(neonsim_transfer, memory),
};

#define STATUS(name) {"neonsim_status", #name, NEONSIM_##name}
#define KIND(name) {"neonsim_layer_kind", #name, NEONSIM_LAYER_##name},
#define ROUND(name) {"neonsim_rounding", #name, NEONSIM_ROUND_##name}
#define STRASSEN(name) {"neonsim_strassen", #name, NEONSIM_STRASSEN_##name},
#define ALGORITHM(name) {"neonsim_algorithm", #name, NEONSIM_ALGORITHM_##name},

static const struct {
  const char *enumeration, *name;
  int32_t value;
} enumerators[] = {
    /* clang-format off */
    STATUS(SUCCESS), STATUS(NULL_POINTER), STATUS(ZERO_SIZE), STATUS(SIZE_TOO_LARGE), STATUS(STRIDE_TOO_SMALL),
    STATUS(INVALID_PARAMETER), STATUS(UNKNOWN_VARIANT), STATUS(UNAVAILABLE_VARIANT), STATUS(UNKNOWN_ISA), STATUS(OUT_OF_MEMORY),
    STATUS(NOT_A_NUMBER),
    NEONSIM_LAYER_LIST(KIND)
    NEONSIM_ALGORITHM_LIST(ALGORITHM)
    NEONSIM_STRASSEN_LIST(STRASSEN)
    ROUND(Q31), ROUND(FP32), ROUND(AWAY), ROUND(UP), ROUND(NONE), ROUND(GEMMLOWP), ROUND(RUY), ROUND(RUY8), ROUND(FP64),
    ROUND(TENGINE), ROUND(F32_QUOTIENT),
    /* clang-format on */
};

int32_t neonsim_field_info(size_t index, const char **record, const char **name, const char **type, size_t *offset, size_t *bytes) {
  if (record == NULL || name == NULL || type == NULL || offset == NULL || bytes == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (index >= sizeof fields / sizeof fields[0]) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  *record = fields[index].record;
  *name = fields[index].name;
  *type = fields[index].type;
  *offset = fields[index].offset;
  *bytes = fields[index].bytes;
  return NEONSIM_SUCCESS;
}

int32_t neonsim_enumerator_info(size_t index, const char **enumeration, const char **name, int32_t *value) {
  if (enumeration == NULL || name == NULL || value == NULL) {
    return NEONSIM_NULL_POINTER;
  }
  if (index >= sizeof enumerators / sizeof enumerators[0]) {
    return NEONSIM_SIZE_TOO_LARGE;
  }
  *enumeration = enumerators[index].enumeration;
  *name = enumerators[index].name;
  *value = enumerators[index].value;
  return NEONSIM_SUCCESS;
}
