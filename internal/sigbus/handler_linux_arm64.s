#include "textflag.h"

// func handlerAddress() uintptr
TEXT ·handlerAddress(SB), NOSPLIT, $0-8
	MOVD $·handler(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func handler()
//
// R0 is the signal, R1 its siginfo, R2 its context. The kernel restores all
// registers when the handler returns; Go's handler needs R28, its g.
TEXT ·handler(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVD ·guards(SB), R3
	CBZ R3, pass
	MOVW 8(R1), R3 // si_code
	CMPW $2, R3    // BUS_ADRERR
	BNE pass
	MOVD R0, R9
	MOVD R1, R10
	MOVD R2, R11
	MOVD ·pageMask(SB), R3
	MOVD 16(R1), R0 // si_addr
	AND R3, R0
	NEG R3, R1      // a page
	MOVD $3, R2     // PROT_READ|PROT_WRITE
	MOVD $0x32, R3  // MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS
	MOVD $-1, R4
	MOVD $0, R5
	MOVD $222, R8 // mmap
	SVC
	CMN $4095, R0
	BCS failed
	MOVD $·faults(SB), R3
again:
	LDAXR (R3), R4
	ADD $1, R4
	STLXR R4, (R3), R5
	CBNZ R5, again
	RET
failed:
	MOVD R9, R0
	MOVD R10, R1
	MOVD R11, R2
pass:
	MOVD ·previous(SB), R3
	JMP (R3)
