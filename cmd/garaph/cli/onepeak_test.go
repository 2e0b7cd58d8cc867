package cli

import "testing"

// TestOnePeak: what a run reports as its peak of memory is one figure, also when the reports
// themselves, such as rows of --top, take more memory in between.
func TestOnePeak(t *testing.T) {
	x := new(task)
	first, before := x.peakMemory(), peakMemory()
	if before == 0 {
		t.Skip("this system does not tell the peak")
	}
	more := make([]byte, before+64<<20)
	for i := 0; i < len(more); i += 4096 {
		more[i] = 1
	}
	if peakMemory() <= first {
		t.Fatal("the peak did not grow")
	}
	if again := x.peakMemory(); again != first {
		t.Errorf("first %d bytes, then %d", first, again)
	}
}
