#include "textflag.h"

// func handlerAddress() uintptr
TEXT ·handlerAddress(SB), NOSPLIT, $0-8
	LEAQ ·handler(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func handler()
//
// DI is the signal, SI its siginfo, DX its context. The kernel restores all
// registers when the handler returns.
TEXT ·handler(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVQ ·guards(SB), AX
	TESTQ AX, AX
	JZ pass
	CMPL 8(SI), $2 // si_code: BUS_ADRERR
	JNE pass
	MOVQ DI, R12
	MOVQ SI, R13
	MOVQ DX, R14
	MOVQ ·pageMask(SB), AX
	MOVQ 16(SI), DI // si_addr
	ANDQ AX, DI
	NOTQ AX
	LEAQ 1(AX), SI // a page
	MOVL $3, DX    // PROT_READ|PROT_WRITE
	MOVL $0x32, R10 // MAP_PRIVATE|MAP_FIXED|MAP_ANONYMOUS
	MOVQ $-1, R8
	MOVL $0, R9
	MOVL $9, AX // mmap
	SYSCALL
	CMPQ AX, $-4096
	JHI failed
	LOCK
	INCQ ·faults(SB)
	RET
failed:
	MOVQ R12, DI
	MOVQ R13, SI
	MOVQ R14, DX
pass:
	MOVQ ·previous(SB), AX
	JMP AX
