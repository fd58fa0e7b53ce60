//! Largest of any number of gathered rows of fewer than 16 channels per pixel.
//! contract: u8_maxpool
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, at least 1
//! in   kc          x2          channels, 1..15
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   y           x4          uint8 [n, kc]
//! in   x_increment x5          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x6          bytes between two pixels of y
//! in   params      x7          neonsim_clamp_params, 4 bytes
//!
//! reg  table       x8          the next pointer of this pixel
//! reg  pi          x9          behind the part of the row that is not yet read
//! reg  rows        x10         rows left of this pixel
//! reg  vx          v0          channels of one row
//! reg  vmax        v1          the largest so far
//! reg  vlimits     v6-v7       largest and smallest value allowed
//!
//!   kc = 13 = 8 + 4 + 1: a row is read from its end, and nothing outside of it
//!       b[0] <- last byte      | c12                     |
//!       s[0] <- 4 before it    | c8 .. c11, c12          |     EXT moves up what is there already
//!       d[0] <- the first 8    | c0 .. c7, c8 .. c11, c12|

#include "include/uint8_aarch64.h"
#include "include/maxpool_aarch64.h"

    upper       .req v6
    lower       .req v7

#define KERNEL u8_maxpool_16x__aarch64_neon_few_channels
#include "bodies/maxpool_few_channels_aarch64.h"
