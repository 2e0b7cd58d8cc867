package columnar

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// drawValues draws rows of a kind, and what they are as text: "" for a null.
func drawValues(t *rapid.T) (Values, []string) {
	n := rapid.IntRange(0, 40).Draw(t, "rows")
	var v Values
	text := make([]string, n)
	switch rapid.SampledFrom([]string{"ints", "floats", "strings", "dictionary"}).Draw(t, "kind") {
	case "ints":
		v.Ints = rapid.SliceOfN(rapid.Uint64(), n, n).Draw(t, "ints")
		for i, x := range v.Ints {
			text[i] = fmt.Sprint(x)
		}
	case "floats":
		v.Floats = rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "floats")
		for i, x := range v.Floats {
			text[i] = fmt.Sprint(x)
		}
	case "strings":
		for i, s := range rapid.SliceOfN(rapid.StringN(1, 9, -1), n, n).Draw(t, "strings") {
			v.Text.Spans = append(v.Text.Spans, v.Text.put(s))
			text[i] = s
		}
	default:
		values := rapid.SliceOfN(rapid.StringN(1, 9, -1), 1, 5).Draw(t, "dictionary")
		for _, s := range values {
			v.Text.Spans = append(v.Text.Spans, v.Text.put(s))
		}
		for i := range n {
			at := rapid.IntRange(0, len(values)-1).Draw(t, "place")
			v.Text.Index = append(v.Text.Index, uint32(at))
			text[i] = values[at]
		}
	}
	if rapid.Bool().Draw(t, "nulls") {
		v.Null = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "null")
		for i, is := range v.Null {
			if is {
				text[i] = ""
			}
		}
	}
	return v, text
}

// put appends a string to the buffer, with something between it and the one before.
func (s *Strings) put(text string) Span {
	s.Data = append(s.Data, '|')
	from := uint32(len(s.Data))
	s.Data = append(s.Data, text...)
	return Span{from, uint32(len(s.Data))}
}

// at is row i as text.
func (v *Values) at(i int) string {
	switch {
	case v.IsNull(i):
		return ""
	case v.Ints != nil:
		return fmt.Sprint(v.Ints[i])
	case v.Floats != nil:
		return fmt.Sprint(v.Floats[i])
	}
	return string(v.Text.At(i))
}

// TestSlice: the rows of a slice, and of a slice of that, are those of the whole.
func TestSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, want := drawValues(t)
		for i, text := range want {
			if got := v.at(i); got != text {
				t.Fatalf("row %d is %q, want %q", i, got, text)
			}
		}
		for range 2 {
			from := rapid.IntRange(0, len(want)).Draw(t, "from")
			to := rapid.IntRange(from, len(want)).Draw(t, "to")
			v, want = v.Slice(from, to), want[from:to]
			for i, text := range want {
				if got := v.at(i); got != text {
					t.Fatalf("rows %d to %d: row %d is %q, want %q", from, to, i, got, text)
				}
			}
		}
	})
}

// TestAtIsBounded: to append to a string does not write over the one behind it.
func TestAtIsBounded(t *testing.T) {
	s := Strings{Data: []byte("BernBasel"), Spans: []Span{{0, 4}, {4, 9}}}
	_ = append(s.At(0), '!')
	if got := string(s.At(1)); got != "Basel" {
		t.Errorf("got %q", got)
	}
}

// TestAppendInteger: the bits of a signed column are two's complement, those of an unsigned one are not.
func TestAppendInteger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1<<63 - 1, 1 << 63, 1<<64 - 1})).Draw(t, "bits")
		want := new(big.Int).SetUint64(bits)
		if got := string(AppendInteger([]byte("x"), Uint, bits)); got != "x"+want.String() {
			t.Fatalf("got %s, want %s", got, want)
		}
		if bits >= 1<<63 {
			want.Sub(want, new(big.Int).Lsh(big.NewInt(1), 64))
		}
		if got := string(AppendInteger(nil, Int, bits)); got != want.String() {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}
