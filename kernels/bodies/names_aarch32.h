// Names of the registers with the parameters of a tile on AArch32; WZP_AT: where the zero point of w lies among these.

#ifdef RNDNU
#define WZP_AT 16
    multiplier .req q0
    preshift   .req q1
    postshift  .req q2
#else
#define WZP_AT 20
#endif
    zeropoint  .req q3
    upper      .req q4
    lower      .req q5
#ifdef UINT8
    wzp        .req d14
#endif
