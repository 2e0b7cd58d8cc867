package gpuengine

import "errors"

// ErrLost is a device that failed in the middle of work and is of no use any
// more.
var ErrLost = errors.New("the device is lost")
