"""The timing classes: the words an instruction and a core file have in common.

An instruction names its class once (`timing=` in `isa`), a core prices every class once, so instructions + cores is a
sum, not a product. Classes of one family only stand in its file (`timing_class`). The names follow the instruction
groups of Arm's optimisation guides.

kind      what stalls and forwarding rules speak of: "multiply", "arithmetic", "permute", "transfer" (between register
          files), "load", "store", "alu", "branch"
neon      counts as a NEON instruction (vector loads and stores do, address arithmetic does not)
"""

from __future__ import annotations

from dataclasses import dataclass

from neonsim.arm.isa.forms.spec import TIMING

__all__ = ["CLASSES", "KINDS", "MULTIPLIES", "TimingClass"]

KINDS = ("multiply", "arithmetic", "permute", "transfer", "load", "store", "alu", "branch")

# Classes whose lane products are counted as multiply-accumulates. A product that only scales a result (SQRDMULH and
# friends, FMUL) is not one; nor is a polynomial product.
MULTIPLIES = frozenset({"asimd_mul", "asimd_mla", "asimd_mul_long", "asimd_mla_long", "asimd_dot", "asimd_matmul",
                        "asimd_fp_mla", "asimd_fp_mul_add", "fp_mla", "fp_mul_add"})


@dataclass(frozen=True, slots=True)
class TimingClass:
    """A row of the table below: name, kind, whether it is NEON, and one line of what is in it.

    parent  of a family's own class, the one whose price it has where a core gives it none
    """

    name: str
    kind: str
    neon: bool
    text: str
    parent: str = ""


def _rows(kind: str, neon: bool, table: str) -> list[TimingClass]:
    lines = (line.split(None, 1) for line in table.strip().splitlines())
    return [TimingClass(name, kind, neon, text) for name, text in lines]


_ALL = [
    *_rows("arithmetic", True, """
        asimd_add             ADD SUB NEG, halving add and subtract
        asimd_add_long        SADDL UADDL SSUBL USUBL (VSUBL widens and subtracts the zero point)
        asimd_add_wide        SADDW UADDW SSUBW USUBW
        asimd_add_narrow      ADDHN SUBHN
        asimd_add_narrow_round RADDHN RSUBHN
        asimd_abs             ABS
        asimd_abs_diff        SABD UABD SABDL UABDL
        asimd_abs_diff_acc    SABA UABA
        asimd_abs_diff_acc_long SABAL UABAL
        asimd_add_pair        ADDP
        asimd_add_pair_long   SADDLP UADDLP
        asimd_add_acc_pair    SADALP UADALP (VPADAL)
        asimd_reduce          ADDV
        asimd_reduce_long     SADDLV UADDLV
        asimd_arith_sat       SQADD UQADD SQSUB UQSUB SQNEG
        asimd_abs_sat         SQABS
        asimd_logic           AND ORR EOR BIC ORN MVN
        asimd_bit_select      BSL BIT BIF
        asimd_count           CNT CLZ CLS RBIT of vectors
        asimd_compare         CMEQ CMGE CMGT CMHI CMHS
        asimd_compare_test    CMTST
        asimd_min_max         SMAX SMIN UMAX UMIN
        asimd_min_max_pair    SMAXP SMINP UMAXP UMINP
        asimd_min_max_reduce  SMAXV SMINV UMAXV UMINV
        asimd_shift_imm       SHL SSHR USHR
        asimd_shift_reg       SSHL USHL
        asimd_shift_round_imm SRSHR URSHR
        asimd_shift_round_reg SRSHL URSHL (VRSHL)
        asimd_shift_acc       SSRA USRA
        asimd_shift_acc_round SRSRA URSRA
        asimd_shift_long      SSHLL USHLL SHLL, SXTL UXTL (VMOVL)
        asimd_shift_insert    SLI SRI
        asimd_shift_narrow    SHRN
        asimd_shift_narrow_round RSHRN
        asimd_narrow          XTN (VMOVN)
        asimd_narrow_sat      SQXTN SQXTUN UQXTN, SQSHRN and friends
        asimd_fp_add          FADD FSUB FABD of vectors (VADD.F32)
        asimd_fp_add_pair     FADDP (VPADD.F32)
        asimd_fp_cmp          FCMEQ FCMGE FCMGT, FACGE FACGT (VCEQ.F32, VACGE)
        asimd_fp_minmax       FMAX FMIN FMAXNM FMINNM of vectors
        asimd_fp_minmax_pair  FMAXP FMINP FMAXNMP FMINNMP
        asimd_fp_minmax_across FMAXV FMINV FMAXNMV FMINNMV
        asimd_fp_cvt          FCVTZS and the other roundings, SCVTF UCVTF, of vectors
        asimd_fp_cvt_long     FCVTL (VCVT.F32.F16)
        asimd_fp_cvt_narrow   FCVTN BFCVTN (VCVT.F16.F32)
        asimd_fp_round        FRINTN and the other roundings, of vectors
        asimd_fp_misc         FABS FNEG of vectors
        asimd_fp_div          FDIV of vectors
        asimd_fp_sqrt         FSQRT of vectors
        asimd_fp_recpe        FRECPE FRSQRTE, URECPE URSQRTE
        asimd_fp_recps        FRECPS FRSQRTS of vectors
    """),
    *_rows("multiply", True, """
        asimd_mul             MUL, vector or by element
        asimd_mla             MLA MLS
        asimd_mul_long        SMULL UMULL (VMULL)
        asimd_mla_long        SMLAL UMLAL SMLSL UMLSL (VMLAL)
        asimd_sqdmulh         SQDMULH SQRDMULH
        asimd_sqdmull         SQDMULL
        asimd_sqdmlal         SQDMLAL SQDMLSL
        asimd_dot             SDOT UDOT USDOT SUDOT
        asimd_matmul          SMMLA UMMLA USMMLA
        asimd_pmul            PMUL of bytes
        asimd_pmull           PMULL of bytes
        asimd_fp_mul          FMUL FMULX of vectors, also by element
        asimd_fp_mla          FMLA FMLS (VFMA VFMS), also by element
        asimd_fp_mul_add      VMLA.F32 VMLS.F32: multiplied, rounded, then added
    """),
    # Scalar floating point lives in the vector registers, but is not counted as NEON.
    *_rows("multiply", False, """
        fp_mul                FMUL FNMUL FMULX of scalars
        fp_mla                FMADD FMSUB FNMADD FNMSUB (VFMA)
        fp_mul_add            VMLA VMLS VNMLA VNMLS of scalars: multiplied, rounded, then added
    """),
    *_rows("arithmetic", False, """
        fp_add                FADD FSUB FABD of scalars
        fp_cmp                FCMP FCMPE (VCMP)
        fp_ccmp               FCCMP FCCMPE
        fp_csel               FCSEL (VSEL)
        fp_minmax             FMAX FMIN FMAXNM FMINNM of scalars
        fp_cvt                FCVT; FCVTZS, SCVTF and kin within the vector registers; VCVT, VCVTB, VCVTT, BFCVT
        fp_round              FRINTN and the other roundings, of scalars
        fp_misc               FABS FNEG of scalars
        fp_div                FDIV of scalars
        fp_sqrt               FSQRT of scalars
        fp_recpe              FRECPE FRSQRTE FRECPX of scalars
        fp_recps              FRECPS FRSQRTS of scalars
    """),
    *_rows("permute", True, """
        asimd_ext             EXT (VEXT)
        asimd_zip             ZIP UZP TRN REV
        asimd_table_1         TBL (VTBL) of one register
        asimd_table_2         TBL (VTBL) of two registers
        asimd_table_3         TBL (VTBL) of three registers
        asimd_table_4         TBL (VTBL) of four registers
        asimd_table_ext_1     TBX (VTBX) of one register
        asimd_table_ext_2     TBX (VTBX) of two registers
        asimd_table_ext_3     TBX (VTBX) of three registers
        asimd_table_ext_4     TBX (VTBX) of four registers
        asimd_swap            VSWP; VTRN VZIP VUZP in place: two results
        asimd_dup_elem        DUP from a lane
        asimd_ins_elem        INS from a lane
        asimd_movi            MOVI MVNI
        asimd_mov             MOV of a whole vector
        asimd_fp_move         FMOV of a constant to all lanes
    """),
    *_rows("permute", False, """
        fp_move               FMOV of a scalar or a constant
    """),
    *_rows("transfer", True, """
        asimd_dup_gpr         DUP from a general register
        asimd_ins_gpr         INS from a general register
        asimd_to_gpr          UMOV SMOV, lane to general register
        fmov_from_gpr         FMOV (VMOV) of a whole D or S register from general registers
        fmov_to_gpr           FMOV (VMOV) of a whole D or S register to general registers
    """),
    *_rows("transfer", False, """
        fp_to_int             FCVTZS and the other roundings to a general register
        int_to_fp             SCVTF UCVTF from a general register
        fp_status             VMRS VMSR, MRS MSR of FPSR and FPCR
    """),
    *_rows("load", True, """
        ld1_1                 LD1 (VLD1) of one register
        ld1_2                 LD1 of two registers
        ld1_3                 LD1 of three registers
        ld1_4                 LD1 of four registers
        ld1_lane              LD1 of one lane
        ld1r                  LD1R (VLD1 to all lanes)
        ld2                   LD2 (VLD2), structures of two
        ld2_lane              LD2 to one lane
        ld2r                  LD2R (VLD2 to all lanes)
        ld3                   LD3 (VLD3), structures of three
        ld3_lane              LD3 to one lane
        ld3r                  LD3R (VLD3 to all lanes)
        ld4                   LD4 (VLD4), structures of four
        ld4_lane              LD4 to one lane
        ld4r                  LD4R (VLD4 to all lanes)
        ldr_simd              LDR of a vector register (VLDR)
        ldp_simd              LDP of two vector registers
        vldm                  VLDM, VPOP
    """),
    *_rows("store", True, """
        st1_1                 ST1 (VST1) of one register
        st1_2                 ST1 of two registers
        st1_3                 ST1 of three registers
        st1_4                 ST1 of four registers
        st1_lane              ST1 of one lane
        st2                   ST2 (VST2), structures of two
        st2_lane              ST2 from one lane
        st3                   ST3 (VST3), structures of three
        st3_lane              ST3 from one lane
        st4                   ST4 (VST4), structures of four
        st4_lane              ST4 from one lane
        str_simd              STR of a vector register (VSTR)
        stp_simd              STP of two vector registers
        vstm                  VSTM, VPUSH
    """),
    *_rows("alu", False, """
        alu                   add, subtract, compare, logic of general registers
        alu_shift_light       arithmetic on an operand shifted left by up to four bits; logic on a shifted one, no flags
        alu_shift             the same with any other shifted or extended operand; A32 saturation, packing, UXTAB
        shift_imm             LSL LSR ASR ROR by a constant, bit fields out, SXTB UXTH and kin, EXTR, REV, RBIT
        shift_reg             LSLV LSRV ASRV RORV
        bitfield_insert       BFI BFXIL BFC
        csel                  conditional select
        mov                   move of a register or constant
        mul                   multiply of general registers
        mul_long              SMULL UMULL, SMADDL UMADDL of general registers
        mul_high              SMULH UMULH
        div                   SDIV UDIV
        nop                   nothing
    """),
    *_rows("load", False, """
        ldr                   LDR of a general register
        ldp                   LDP (LDRD)
        ldm                   LDM, POP
    """),
    *_rows("store", False, """
        str                   STR of a general register
        stp                   STP (STRD)
        stm                   STM, PUSH
    """),
    *_rows("branch", False, """
        branch                B, B.cond, CBZ, BL
        branch_return         RET, BX LR, branch to a register
    """),
]

CLASSES: dict[str, TimingClass] = {row.name: row for row in _ALL}
CLASSES |= {name: TimingClass(name, CLASSES[like].kind, CLASSES[like].neon, text, like)
            for name, (like, text) in TIMING.items()}
