//! Largest of any number of gathered rows of fewer than 16 channels per pixel.
//! contract: u8_maxpool
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 1
//! in   kc          r2          channels, 1..15
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   y           [sp]        uint8 [n, kc]
//! in   x_increment [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #8]    bytes between two pixels of y
//! in   params      [sp, #12]   neonsim_clamp_params, 4 bytes
//!
//! reg  table       r4          the next pointer of this pixel
//! reg  pi          r5          behind the part of the row that is not yet read
//! reg  rows        r6          rows left of this pixel
//! reg  out         r7          where the maxima are written next
//! reg  steps       r8-r9       bytes to the next pixel's pointers, bytes between two pixels of y
//! reg  t           r12         scratch
//! reg  vx          q0          channels of one row
//! reg  vmax        q1          the largest so far
//! reg  vlimits     q14-q15     largest and smallest value allowed
//!
//!   kc = 13 = 8 + 4 + 1: a row is read from its end, and nothing outside of it
//!       d0[0]  <- last byte    | c12                     |
//!       d0[0]  <- 4 before it  | c8 .. c11, c12          |     VEXT moves up what is there already
//!       d0     <- the first 8  | c0 .. c7, c8 .. c11, c12|

#include "include/uint8_aarch32.h"
#include "include/maxpool_aarch32.h"

    upper       .req q14
    lower       .req q15

#define KERNEL u8_maxpool_16x__aarch32_neon_few_channels
#include "bodies/maxpool_few_channels_aarch32.h"
