// The products of a 4x16 tile on AArch64, int8, in the order that suits Cortex-A53: same registers as mlal_lane_4x16_aarch64.h.
//
// The core issues two instructions in a cycle, in order, but a multiplication of 128 bits takes both halves of its vector
// unit, and a vector load beside it is not possible. So weights come through general registers, by loads that issue beside
// multiplications, and two moves of 64 bits to vector registers issue together. Weights are loaded one depth ahead.
//
//   v6, v7    columns 0..7, 8..15 of the next depth, as bytes      v5, v4  of this one, as int16
// The kernel names by .req: t0, t1 (general registers), pa0..pa3 (rows of a), pw (weights).

// Whole groups of eight depths; count: depths left, less eight, also afterwards.
.macro whole_groups_a53 count, depth
    subs        \count, \depth, #8
    b.lo        11f
10:
    ldr         d0, [pa0], #8
    ldr         d1, [pa1], #8
    ldr         d2, [pa2], #8
    sxtl        v0.8h, v0.8b                // what is loaded is widened between the loads
    ldr         d3, [pa3], #8
    sxtl        v1.8h, v1.8b
    ldr         d6, [pw], #8                // depth 0, columns 0..7
    sxtl        v2.8h, v2.8b
    ldr         d7, [pw], #8                // columns 8..15
    sxtl        v3.8h, v3.8b
    sxtl        v5.8h, v6.8b

    sxtl        v4.8h, v7.8b                // depth 0: columns 8..15; v5 holds columns 0..7
    smlal       v16.4s, v5.4h, v0.h[0]
    ldr         t0, [pw], #16               // depth 1, into general registers: issues beside a multiplication
    smlal2      v17.4s, v5.8h, v0.h[0]
    smlal       v20.4s, v5.4h, v1.h[0]
    smlal2      v21.4s, v5.8h, v1.h[0]
    ldr         t1, [pw, #-8]               // its address is ready two cycles after that
    smlal       v24.4s, v5.4h, v2.h[0]
    smlal2      v25.4s, v5.8h, v2.h[0]
    smlal       v28.4s, v5.4h, v3.h[0]
    smlal2      v29.4s, v5.8h, v3.h[0]
    fmov        d6, t0                      // two moves of half a register issue together
    fmov        d7, t1
    smlal       v18.4s, v4.4h, v0.h[0]
    smlal2      v19.4s, v4.8h, v0.h[0]
    smlal       v22.4s, v4.4h, v1.h[0]
    sxtl        v5.8h, v6.8b                // depth 1, columns 0..7
    smlal2      v23.4s, v4.8h, v1.h[0]
    smlal       v26.4s, v4.4h, v2.h[0]
    smlal2      v27.4s, v4.8h, v2.h[0]
    smlal       v30.4s, v4.4h, v3.h[0]
    smlal2      v31.4s, v4.8h, v3.h[0]

    sxtl        v4.8h, v7.8b                // depth 1: columns 8..15; v5 holds columns 0..7
    smlal       v16.4s, v5.4h, v0.h[1]
    ldr         t0, [pw], #16               // depth 2, into general registers: issues beside a multiplication
    smlal2      v17.4s, v5.8h, v0.h[1]
    smlal       v20.4s, v5.4h, v1.h[1]
    smlal2      v21.4s, v5.8h, v1.h[1]
    ldr         t1, [pw, #-8]               // its address is ready two cycles after that
    smlal       v24.4s, v5.4h, v2.h[1]
    smlal2      v25.4s, v5.8h, v2.h[1]
    smlal       v28.4s, v5.4h, v3.h[1]
    smlal2      v29.4s, v5.8h, v3.h[1]
    fmov        d6, t0                      // two moves of half a register issue together
    fmov        d7, t1
    smlal       v18.4s, v4.4h, v0.h[1]
    smlal2      v19.4s, v4.8h, v0.h[1]
    smlal       v22.4s, v4.4h, v1.h[1]
    sxtl        v5.8h, v6.8b                // depth 2, columns 0..7
    smlal2      v23.4s, v4.8h, v1.h[1]
    smlal       v26.4s, v4.4h, v2.h[1]
    smlal2      v27.4s, v4.8h, v2.h[1]
    smlal       v30.4s, v4.4h, v3.h[1]
    smlal2      v31.4s, v4.8h, v3.h[1]

    sxtl        v4.8h, v7.8b                // depth 2: columns 8..15; v5 holds columns 0..7
    smlal       v16.4s, v5.4h, v0.h[2]
    ldr         t0, [pw], #16               // depth 3, into general registers: issues beside a multiplication
    smlal2      v17.4s, v5.8h, v0.h[2]
    smlal       v20.4s, v5.4h, v1.h[2]
    smlal2      v21.4s, v5.8h, v1.h[2]
    ldr         t1, [pw, #-8]               // its address is ready two cycles after that
    smlal       v24.4s, v5.4h, v2.h[2]
    smlal2      v25.4s, v5.8h, v2.h[2]
    smlal       v28.4s, v5.4h, v3.h[2]
    smlal2      v29.4s, v5.8h, v3.h[2]
    fmov        d6, t0                      // two moves of half a register issue together
    fmov        d7, t1
    smlal       v18.4s, v4.4h, v0.h[2]
    smlal2      v19.4s, v4.8h, v0.h[2]
    smlal       v22.4s, v4.4h, v1.h[2]
    sxtl        v5.8h, v6.8b                // depth 3, columns 0..7
    smlal2      v23.4s, v4.8h, v1.h[2]
    smlal       v26.4s, v4.4h, v2.h[2]
    smlal2      v27.4s, v4.8h, v2.h[2]
    smlal       v30.4s, v4.4h, v3.h[2]
    smlal2      v31.4s, v4.8h, v3.h[2]

    sxtl        v4.8h, v7.8b                // depth 3: columns 8..15; v5 holds columns 0..7
    smlal       v16.4s, v5.4h, v0.h[3]
    ldr         t0, [pw], #16               // depth 4, into general registers: issues beside a multiplication
    smlal2      v17.4s, v5.8h, v0.h[3]
    smlal       v20.4s, v5.4h, v1.h[3]
    smlal2      v21.4s, v5.8h, v1.h[3]
    ldr         t1, [pw, #-8]               // its address is ready two cycles after that
    smlal       v24.4s, v5.4h, v2.h[3]
    smlal2      v25.4s, v5.8h, v2.h[3]
    smlal       v28.4s, v5.4h, v3.h[3]
    smlal2      v29.4s, v5.8h, v3.h[3]
    fmov        d6, t0                      // two moves of half a register issue together
    fmov        d7, t1
    smlal       v18.4s, v4.4h, v0.h[3]
    smlal2      v19.4s, v4.8h, v0.h[3]
    smlal       v22.4s, v4.4h, v1.h[3]
    sxtl        v5.8h, v6.8b                // depth 4, columns 0..7
    smlal2      v23.4s, v4.8h, v1.h[3]
    smlal       v26.4s, v4.4h, v2.h[3]
    smlal2      v27.4s, v4.8h, v2.h[3]
    smlal       v30.4s, v4.4h, v3.h[3]
    smlal2      v31.4s, v4.8h, v3.h[3]

    sxtl        v4.8h, v7.8b                // depth 4: columns 8..15; v5 holds columns 0..7
    smlal       v16.4s, v5.4h, v0.h[4]
    ldr         t0, [pw], #16               // depth 5, into general registers: issues beside a multiplication
    smlal2      v17.4s, v5.8h, v0.h[4]
    smlal       v20.4s, v5.4h, v1.h[4]
    smlal2      v21.4s, v5.8h, v1.h[4]
    ldr         t1, [pw, #-8]               // its address is ready two cycles after that
    smlal       v24.4s, v5.4h, v2.h[4]
    smlal2      v25.4s, v5.8h, v2.h[4]
    smlal       v28.4s, v5.4h, v3.h[4]
    smlal2      v29.4s, v5.8h, v3.h[4]
    fmov        d6, t0                      // two moves of half a register issue together
    fmov        d7, t1
    smlal       v18.4s, v4.4h, v0.h[4]
    smlal2      v19.4s, v4.8h, v0.h[4]
    smlal       v22.4s, v4.4h, v1.h[4]
    sxtl        v5.8h, v6.8b                // depth 5, columns 0..7
    smlal2      v23.4s, v4.8h, v1.h[4]
    smlal       v26.4s, v4.4h, v2.h[4]
    smlal2      v27.4s, v4.8h, v2.h[4]
    smlal       v30.4s, v4.4h, v3.h[4]
    smlal2      v31.4s, v4.8h, v3.h[4]

    sxtl        v4.8h, v7.8b                // depth 5: columns 8..15; v5 holds columns 0..7
    smlal       v16.4s, v5.4h, v0.h[5]
    ldr         t0, [pw], #16               // depth 6, into general registers: issues beside a multiplication
    smlal2      v17.4s, v5.8h, v0.h[5]
    smlal       v20.4s, v5.4h, v1.h[5]
    smlal2      v21.4s, v5.8h, v1.h[5]
    ldr         t1, [pw, #-8]               // its address is ready two cycles after that
    smlal       v24.4s, v5.4h, v2.h[5]
    smlal2      v25.4s, v5.8h, v2.h[5]
    smlal       v28.4s, v5.4h, v3.h[5]
    smlal2      v29.4s, v5.8h, v3.h[5]
    fmov        d6, t0                      // two moves of half a register issue together
    fmov        d7, t1
    smlal       v18.4s, v4.4h, v0.h[5]
    smlal2      v19.4s, v4.8h, v0.h[5]
    smlal       v22.4s, v4.4h, v1.h[5]
    sxtl        v5.8h, v6.8b                // depth 6, columns 0..7
    smlal2      v23.4s, v4.8h, v1.h[5]
    smlal       v26.4s, v4.4h, v2.h[5]
    smlal2      v27.4s, v4.8h, v2.h[5]
    smlal       v30.4s, v4.4h, v3.h[5]
    smlal2      v31.4s, v4.8h, v3.h[5]

    sxtl        v4.8h, v7.8b                // depth 6: columns 8..15; v5 holds columns 0..7
    smlal       v16.4s, v5.4h, v0.h[6]
    ldr         t0, [pw], #16               // depth 7, into general registers: issues beside a multiplication
    smlal2      v17.4s, v5.8h, v0.h[6]
    smlal       v20.4s, v5.4h, v1.h[6]
    smlal2      v21.4s, v5.8h, v1.h[6]
    ldr         t1, [pw, #-8]               // its address is ready two cycles after that
    smlal       v24.4s, v5.4h, v2.h[6]
    smlal2      v25.4s, v5.8h, v2.h[6]
    smlal       v28.4s, v5.4h, v3.h[6]
    smlal2      v29.4s, v5.8h, v3.h[6]
    fmov        d6, t0                      // two moves of half a register issue together
    fmov        d7, t1
    smlal       v18.4s, v4.4h, v0.h[6]
    smlal2      v19.4s, v4.8h, v0.h[6]
    smlal       v22.4s, v4.4h, v1.h[6]
    sxtl        v5.8h, v6.8b                // depth 7, columns 0..7
    smlal2      v23.4s, v4.8h, v1.h[6]
    smlal       v26.4s, v4.4h, v2.h[6]
    smlal2      v27.4s, v4.8h, v2.h[6]
    smlal       v30.4s, v4.4h, v3.h[6]
    smlal2      v31.4s, v4.8h, v3.h[6]

    sxtl        v4.8h, v7.8b                // depth 7: columns 8..15; v5 holds columns 0..7
    smlal       v16.4s, v5.4h, v0.h[7]
    smlal2      v17.4s, v5.8h, v0.h[7]
    smlal       v20.4s, v5.4h, v1.h[7]
    smlal2      v21.4s, v5.8h, v1.h[7]
    smlal       v24.4s, v5.4h, v2.h[7]
    smlal2      v25.4s, v5.8h, v2.h[7]
    smlal       v28.4s, v5.4h, v3.h[7]
    smlal2      v29.4s, v5.8h, v3.h[7]
    smlal       v18.4s, v4.4h, v0.h[7]
    smlal2      v19.4s, v4.8h, v0.h[7]
    smlal       v22.4s, v4.4h, v1.h[7]
    smlal2      v23.4s, v4.8h, v1.h[7]
    smlal       v26.4s, v4.4h, v2.h[7]
    smlal2      v27.4s, v4.8h, v2.h[7]
    smlal       v30.4s, v4.4h, v3.h[7]
    smlal2      v31.4s, v4.8h, v3.h[7]
    subs        \count, \count, #8
    b.hs        10b
11:
.endm

// All depths of the rows that pa0..pa3 point at.
.macro multiply_a53 count, depth
    whole_groups_a53 \count, \depth
    rest_of_group \count
.endm
