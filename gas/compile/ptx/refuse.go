package ptx

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Refusal is something in a program that has no PTX.
type Refusal struct {
	Pos       token.Position
	Construct string // the construct that is refused
	Instead   string // the replacement to write
}

func (r Refusal) Error() string {
	return fmt.Sprintf("%s: %s; write %s instead", r.Pos, r.Construct, r.Instead)
}

// Refusals are all that were found in a program, in the order of the source.
// The program still runs on the CPU.
type Refusals []Refusal

func (r Refusals) Error() string {
	lines := make([]string, len(r))
	for i, x := range r {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// sorted puts refusals in order, and leaves out duplicates of a line.
func (r Refusals) sorted() Refusals {
	slices.SortStableFunc(r, func(a, b Refusal) int {
		return cmp.Or(strings.Compare(a.Pos.Filename, b.Pos.Filename), a.Pos.Offset-b.Pos.Offset,
			strings.Compare(a.Construct, b.Construct))
	})
	type line struct {
		file      string
		line      int
		construct string
	}
	said := map[line]bool{}
	return slices.DeleteFunc(r, func(x Refusal) bool {
		key := line{x.Pos.Filename, x.Pos.Line, x.Construct}
		twice := said[key]
		said[key] = true
		return twice
	})
}
