//go:build linux && (amd64 || arm64)

package sigbus

import (
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sigaction is struct sigaction of the kernel.
type sigaction struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

// previous is the handler that was there before, Go's: it has every signal that
// is not for us. pageMask clears the offset within a page of memory. The handler
// reads both.
var previous, pageMask uintptr //nolint:unused // the handler is in assembly

var installing sync.Mutex

// install makes our handler that of SIGBUS, unless it is. Whoever calls
// signal.Notify for that signal puts Go's back.
//
// The handler has the flags, the mask and the restorer of Go's: it runs on the
// signal's stack, with all signals blocked, on threads of C too.
func install() {
	installing.Lock()
	defer installing.Unlock()
	var there sigaction
	if !exchange(nil, &there) || there.handler == handlerAddress() || there.handler <= 1 { // 0: ends the process; 1: ignored
		return
	}
	pageMask = ^(uintptr(os.Getpagesize()) - 1)
	previous = there.handler
	there.handler = handlerAddress()
	exchange(&there, nil)
}

// exchange is rt_sigaction for SIGBUS.
func exchange(set, old *sigaction) bool {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(syscall.SIGBUS),
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), unsafe.Sizeof(set.mask), 0, 0)
	return errno == 0
}

// handler is called by the kernel, with the conventions of C. If a guard is held
// and the signal is that of a page which its file cannot give (BUS_ADRERR), it
// maps an empty page over it and returns, and the instruction is tried again.
// Else it goes on in Go's handler.
func handler() //nolint:unused // its address is taken in assembly

// handlerAddress is where handler begins.
func handlerAddress() uintptr
