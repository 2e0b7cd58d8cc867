//go:build !amd64 && !arm64

package packed

import "unsafe"

func prefetch(unsafe.Pointer, uintptr) {}
