package device

import "errors"

// Errors of devices. Each is wrapped with the call and what the driver said.
var (
	// ErrNoDevice: there is no device of this name, or no driver for it.
	ErrNoDevice = errors.New("no such GPU")
	// ErrMemory: the memory of the device is used up.
	ErrMemory = errors.New("out of device memory")
	// ErrLost: the device is of no use any more.
	ErrLost = errors.New("the device is lost")
)
