//! Largest of any number of gathered rows per pixel: nine, then eight at a time, 16 channels each.
//! contract: s8_maxpool
//! tile: 16x9
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 1
//! in   kc          r2          channels, at least 16
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   y           [sp]        int8 [n, kc]
//! in   x_increment [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #8]    bytes between two pixels of y
//! in   params      [sp, #12]   neonsim_clamp_params, 4 bytes
//!
//! reg  count       r0          channels left, less 16; pixels left are on the stack
//! reg  rows        r1          rows left of this pixel
//! reg  table       r3          the next pass's pointers
//! reg  i0..i8      r4-r12      where the rows of this pass are read next
//! reg  out         r14         where the maxima are written next
//! reg  vx          q0-q3       16 channels of some rows each, then the largest of them
//! reg  vlimits     q14-q15     largest and smallest value allowed
//!
//!   i0..i8      -> y           first pass; pointers that do not exist repeat the first one
//!   y, i0..i7   -> y           as long as rows are left: y itself holds the largest so far
//!   Clamping twice is clamping once, and so is taking the last 16 channels once more with some before them.

#include "include/int8_aarch32.h"
#include "include/maxpool_aarch32.h"

    upper       .req q14
    lower       .req q15

#define KERNEL s8_maxpool_16x9__aarch32_neon
#include "bodies/maxpool_9rows_aarch32.h"
