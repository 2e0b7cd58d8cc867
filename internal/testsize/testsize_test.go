package testsize

import (
	"slices"
	"testing"
)

// TestSome checks that the turns together have every case once, and the long form has all.
func TestSome(t *testing.T) {
	defer func(long bool) { Long = long }(Long)
	all := []int{0, 1, 2, 3, 4, 5, 6}
	Long = false
	var met []int
	for turn := range 3 {
		met = append(met, Some(all, 3, turn)...)
	}
	slices.Sort(met)
	if !slices.Equal(met, all) {
		t.Errorf("three turns have %v of %v", met, all)
	}
	if got, want := Some(all, 3, 5), []int{2, 5}; !slices.Equal(got, want) {
		t.Errorf("turn 5 has %v, want %v as turn 2", got, want)
	}
	if Long = true; !slices.Equal(Some(all, 3, 1), all) {
		t.Error("the long form leaves some out")
	}
}
