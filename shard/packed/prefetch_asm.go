//go:build amd64 || arm64

package packed

import "unsafe"

// prefetch has the processor bring n > 0 bytes to its cache while it does other things. It
// is no access: any address is allowed.
//
//go:noescape
func prefetch(at unsafe.Pointer, n uintptr)
