package graphalytics

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Output is the result of an algorithm: a value for each vertex, whose ids ascend.
type Output struct {
	IDs    []int64
	Ints   []int64   // of bfs, wcc and cdlp; the largest int64 where a vertex was not reached
	Floats []float64 // of the others; infinite where a vertex was not reached
}

// epsilon is the relative difference that floats may have.
const epsilon = 1e-4

// Validate compares an output with the lines of a reference: exactly for bfs and cdlp, as a partition for wcc,
// and within a relative difference of 1e-4 for the others.
func (o Output) Validate(algorithm string, reference io.Reader) error {
	same, back := map[int64]int64{}, map[int64]int64{}
	equal := func(i int, text string) (bool, error) {
		if o.Floats != nil {
			want, err := strconv.ParseFloat(text, 64)
			got := o.Floats[i]
			return got == want || math.Abs(got-want) <= epsilon*math.Abs(want), err
		}
		want, err := strconv.ParseInt(text, 10, 64)
		got := o.Ints[i]
		if algorithm != "wcc" || err != nil {
			return got == want, err
		}
		a, known := same[got]
		b, knownBack := back[want]
		same[got], back[want] = want, got
		return known == knownBack && (!known || a == want && b == got), nil
	}
	lines, n := bufio.NewScanner(reference), 0
	for ; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) != 2 {
			return fmt.Errorf("line %d of the reference is %q: expected an id and a value", n+1, lines.Text())
		}
		id, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return fmt.Errorf("line %d of the reference: %w", n+1, err)
		}
		i, ok := slices.BinarySearch(o.IDs, id)
		if !ok {
			return fmt.Errorf("line %d of the reference has vertex %d, which the graph has not", n+1, id)
		}
		ok, err = equal(i, fields[1])
		if err != nil {
			return fmt.Errorf("line %d of the reference: %w", n+1, err)
		}
		if !ok {
			return fmt.Errorf("vertex %d has %s, and %s in the reference", id, o.text(i), fields[1])
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if n != len(o.IDs) {
		return fmt.Errorf("the graph has %d vertices, and the reference %d", len(o.IDs), n)
	}
	return nil
}

// Write writes the lines of an output.
func (o Output) Write(w io.Writer) error {
	for i, id := range o.IDs {
		if _, err := fmt.Fprintf(w, "%d %s\n", id, o.text(i)); err != nil {
			return err
		}
	}
	return nil
}

// text returns the value of a vertex.
func (o Output) text(i int) string {
	switch {
	case o.Floats == nil:
		return strconv.FormatInt(o.Ints[i], 10)
	case math.IsInf(o.Floats[i], 1):
		return "infinity"
	}
	return strconv.FormatFloat(o.Floats[i], 'e', -1, 64)
}
