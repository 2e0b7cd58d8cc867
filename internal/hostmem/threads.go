package hostmem

import "fmt"

// MaxThreads is more than machines have processors; each thread takes memory.
const MaxThreads = 4096

// CheckThreads refuses a number of threads that no job can have.
func CheckThreads(n int) error {
	if n < 0 || n > MaxThreads {
		return fmt.Errorf("threads %d: expected a number from 0 to %d", n, MaxThreads)
	}
	return nil
}
