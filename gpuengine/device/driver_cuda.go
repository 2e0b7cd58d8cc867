//go:build cuda

package device

// #cgo LDFLAGS: -Wl,--as-needed -ldl
// #include "driver_cuda.h"
import "C"

import (
	"errors"
	"fmt"
)

// The driver is there if CUDA has begun, which gorgonia.org/cu had it do before.
func init() {
	switch result := C.garaph_driver; result {
	case 0:
		drivers = append(drivers, Driver{Name: "cuda", List: listCUDA, Names: namesOfCUDA, Open: openNamedCUDA})
	case C.garaph_no_driver:
		absent = errors.New("there is no NVIDIA driver on this machine (no libcuda.so.1)")
	default:
		absent = fmt.Errorf("the NVIDIA driver does not work (cuInit ends with error %d)", int(result))
	}
}
