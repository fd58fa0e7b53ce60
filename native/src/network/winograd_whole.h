/* F(n, k) along one axis in whole numbers, k = 3: n = 2, 3, 4, 5, 6; k = 5: n = 2, 3, 4; k = 7: n = 2.
 * Written by neonsim.generate.portable: a test makes it again.
 *
 * What results are multiplied by, along both axes, is divided out at the end, modulo 2**32:
 * times the inverse of its odd part, then a shift. */
#ifndef NEONSIM_WINOGRAD_WHOLE_H
#define NEONSIM_WINOGRAD_WHOLE_H

/* clang-format off */

#define NEONSIM_WHOLE_PROGRAMS 9
#define NEONSIM_WHOLE_EACH(X) X(2, 3) X(3, 3) X(4, 3) X(5, 3) X(6, 3) X(2, 5) X(3, 5) X(4, 5) X(2, 7)
/* Numbers of a tile and taps along an axis, at most. */
#define NEONSIM_WHOLE_MOST 8
#define NEONSIM_WHOLE_TAPS 7
/* n, k; how many times larger data and weights become; inverse, shift. */
#define NEONSIM_WHOLE_SIZES {{2, 3, 2, 3, 1u, 1}, {3, 3, 6, 7, 2863311531u, 1}, {4, 3, 10, 7, 2863311531u, 3}, {5, 3, 30, 7, 2767867813u, 3}, {6, 3, 50, 7, 2767867813u, 3}, {2, 5, 10, 31, 2863311531u, 3}, {3, 5, 30, 31, 2767867813u, 3}, {4, 5, 50, 31, 2767867813u, 3}, {2, 7, 50, 127, 2767867813u, 3}}
/* From the weights to the numbers of a tile. */
#define NEONSIM_WHOLE_WEIGHTS {{{-1, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 1}}, {{1, 0, 0}, {-1, -1, -1}, {-1, 1, -1}, {1, 2, 4}, {0, 0, 1}}, {{1, 0, 0}, {-1, -1, -1}, {-1, 1, -1}, {1, 2, 4}, {1, -2, 4}, {0, 0, 1}}, {{-1, 0, 0}, {-1, -1, -1}, {1, -1, 1}, {1, 2, 4}, {-1, 2, -4}, {4, 2, 1}, {0, 0, 1}}, {{-1, 0, 0}, {-1, -1, -1}, {-1, 1, -1}, {1, 2, 4}, {1, -2, 4}, {4, 2, 1}, {4, -2, 1}, {0, 0, 1}}, {{1, 0, 0, 0, 0}, {-1, -1, -1, -1, -1}, {-1, 1, -1, 1, -1}, {1, 2, 4, 8, 16}, {1, -2, 4, -8, 16}, {0, 0, 0, 0, 1}}, {{-1, 0, 0, 0, 0}, {-1, -1, -1, -1, -1}, {1, -1, 1, -1, 1}, {1, 2, 4, 8, 16}, {-1, 2, -4, 8, -16}, {16, 8, 4, 2, 1}, {0, 0, 0, 0, 1}}, {{-1, 0, 0, 0, 0}, {-1, -1, -1, -1, -1}, {-1, 1, -1, 1, -1}, {1, 2, 4, 8, 16}, {1, -2, 4, -8, 16}, {16, 8, 4, 2, 1}, {16, -8, 4, -2, 1}, {0, 0, 0, 0, 1}}, {{-1, 0, 0, 0, 0, 0, 0}, {-1, -1, -1, -1, -1, -1, -1}, {-1, 1, -1, 1, -1, 1, -1}, {1, 2, 4, 8, 16, 32, 64}, {1, -2, 4, -8, 16, -32, 64}, {64, 32, 16, 8, 4, 2, 1}, {64, -32, 16, -8, 4, -2, 1}, {0, 0, 0, 0, 0, 0, 1}}}
/* clang-format on */

#endif
