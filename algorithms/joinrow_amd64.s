#include "textflag.h"

// func joinRow(c *hyperCounter, now []hyperCounter, changed []bool, row []uint32)
TEXT ·joinRow(SB), NOSPLIT, $0-80
	MOVQ c+0(FP), DI
	MOVQ now_base+8(FP), SI
	MOVQ changed_base+32(FP), DX
	MOVQ row_base+56(FP), R8
	MOVQ row_len+64(FP), R9
	LEAQ (R8)(R9*4), R9
	MOVOU (DI), X0
	MOVOU 16(DI), X1
	MOVOU 32(DI), X2
	MOVOU 48(DI), X3
	JMP more
edge:
	MOVL (R8), AX
	ADDQ $4, R8
	CMPB (DX)(AX*1), $0
	JEQ more
	SHLQ $6, AX
	MOVOU (SI)(AX*1), X4
	MOVOU 16(SI)(AX*1), X5
	MOVOU 32(SI)(AX*1), X6
	MOVOU 48(SI)(AX*1), X7
	PMAXUB X4, X0
	PMAXUB X5, X1
	PMAXUB X6, X2
	PMAXUB X7, X3
more:
	CMPQ R8, R9
	JCS edge
	MOVOU X0, (DI)
	MOVOU X1, 16(DI)
	MOVOU X2, 32(DI)
	MOVOU X3, 48(DI)
	RET
