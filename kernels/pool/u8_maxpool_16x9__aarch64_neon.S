//! Largest of any number of gathered rows per pixel: nine, then eight at a time, 16 channels each.
//! contract: u8_maxpool
//! tile: 16x9
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, at least 1
//! in   kc          x2          channels, at least 16
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   y           x4          uint8 [n, kc]
//! in   x_increment x5          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x6          bytes between two pixels of y
//! in   params      x7          neonsim_clamp_params, 4 bytes
//!
//! reg  i0..i8      x8-x16      where the rows of this pass are read next
//! reg  count       x17         channels left, less 16
//! reg  out         x5          where the maxima are written next
//! reg  table       x19         the next pass's pointers
//! reg  rows        x20         rows left of this pixel
//! reg  step        x21         bytes from one pixel's pointers to the next pixel's
//! reg  vx          v0-v3       16 channels of some rows each, then the largest of them
//! reg  vlimits     v6-v7       largest and smallest value allowed
//!
//!   i0..i8      -> y           first pass; pointers that do not exist repeat the first one
//!   y, i0..i7   -> y           as long as rows are left: y itself holds the largest so far
//!   Clamping twice is clamping once, and so is taking the last 16 channels once more with some before them.

#include "include/uint8_aarch64.h"
#include "include/maxpool_aarch64.h"

    upper       .req v6
    lower       .req v7

#define KERNEL u8_maxpool_16x9__aarch64_neon
#include "bodies/maxpool_9rows_aarch64.h"
