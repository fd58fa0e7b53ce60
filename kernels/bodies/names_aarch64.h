// Names of the registers with the parameters of a tile on AArch64; WZP_AT: where the zero point of w lies among these.

#ifdef RNDNU
    multiplier .req v0
    preshift   .req v1
    postshift  .req v2
    zeropoint  .req v3
    upper      .req v4
    lower      .req v5
#else
    zeropoint  .req v4
    upper      .req v5
    lower      .req v6
#endif
#if defined UINT8 && defined RNDNU
#define WZP_AT 16
    wzp        .req v6
#elif defined UINT8
#define WZP_AT 20
    wzp        .req v7
#endif
