package all_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/ingest/read"
)

// drawEdges draws an edge list over ids below n, with weights that every format
// can hold.
func drawEdges(t *rapid.T, n uint64) []edgeGiven {
	edge := rapid.Custom(func(t *rapid.T) edgeGiven {
		return edgeGiven{
			rapid.Uint64Range(0, n-1).Draw(t, "u"), rapid.Uint64Range(0, n-1).Draw(t, "v"),
			float32(rapid.IntRange(0, 1<<24).Draw(t, "w")),
		}
	})
	return rapid.SliceOfN(edge, 1, 120).Draw(t, "edges")
}

func seenOf(edges []edgeGiven, weighted bool) []edgeSeen {
	var seen []edgeSeen
	for _, e := range edges {
		s := edgeSeen{U: fmt.Sprint(int64(e.u)), V: fmt.Sprint(int64(e.v))}
		if weighted {
			s.W = e.w
		}
		seen = append(seen, s)
	}
	slices.SortFunc(seen, compareSeen)
	return seen
}

// drawOptions draws what must make no difference.
func drawOptions(t *rapid.T) read.Options {
	return read.Options{
		BlockBytes: rapid.OneOf(rapid.IntRange(16, 128), rapid.IntRange(16, 4096)).Draw(t, "block"),
		Threads:    rapid.IntRange(1, 5).Draw(t, "threads"),
	}
}

// drawFile writes the edges in a drawn format.
func drawFile(t *rapid.T, n uint64) (name string, content []byte, edges []edgeGiven, weighted bool) {
	weighted = rapid.Bool().Draw(t, "weighted")
	format := rapid.SampledFrom([]string{"txt", "el", "mtx", "gr", "sg", "bin", "e"}).Draw(t, "format")
	if format == "txt" || format == "e" {
		n = rapid.SampledFrom([]uint64{n, 1 << 27, 1 << 33, 1 << 62}).Draw(t, "ids")
	}
	edges = drawEdges(t, n)
	style := textStyle{
		sep:      rapid.SampledFrom([]string{" ", "\t", "  ", " \t ", ",", ", ", " , "}).Draw(t, "separator"),
		eol:      rapid.SampledFrom([]string{"\n", "\r\n", " \n", "\t\r\n", "\n\n"}).Draw(t, "end"),
		lastEOL:  rapid.Bool().Draw(t, "newline at the end"),
		weighted: weighted,
	}
	if every := rapid.IntRange(0, 5).Draw(t, "comments"); every > 0 {
		style.noise = func(i int) string {
			return []string{"", "# " + strings.Repeat("x", i) + "\n", "%\n", " \n", "\r\n"}[i*every%5]
		}
	}
	switch format {
	case "txt", "e":
		return "g." + format, writeText(edges, style), edges, weighted
	case "el":
		return map[bool]string{true: "g.wel", false: "g.el"}[weighted], writeText(edges, style), edges, weighted
	case "mtx":
		return "g.mtx", writeMatrixMarket(edges, int(n),
			map[bool]string{true: "real", false: "pattern"}[weighted]), edges, weighted
	case "gr":
		return "g.gr", writeDIMACS(edges, int(n)), edges, true
	case "sg":
		directed := rapid.Bool().Draw(t, "directed")
		if !directed { // both directions are listed
			for _, e := range slices.Clone(edges) {
				if e.u != e.v {
					edges = append(edges, edgeGiven{e.v, e.u, e.w})
				}
			}
		}
		return map[bool]string{true: "g.wsg", false: "g.sg"}[weighted],
			writeSG(edges, int(n), weighted, directed), edges, weighted
	}
	return map[bool]string{true: "g.wbin", false: "g.bin"}[weighted], writeRaw(edges, weighted), edges, weighted
}

// TestRoundTrip writes random edges in a random format and reads them back with
// random blocks and goroutines.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name, content, edges, weighted := drawFile(rt, rapid.Uint64Range(1, 5000).Draw(rt, "vertices"))
		r := readBytes(t, name, content, drawOptions(rt))
		if r.err != nil {
			rt.Fatalf("%s: %v\n%q", name, r.err, content)
		}
		if r.schema.Weighted != weighted {
			rt.Fatalf("%s: weighted is %v", name, r.schema.Weighted)
		}
		if diff := gocmp.Diff(seenOf(edges, weighted), r.sink.sorted()); diff != "" {
			rt.Fatalf("%s: edges (-want +got):\n%s", name, diff)
		}
	})
}

// TestRoundTripNames does the same for string ids.
func TestRoundTripNames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringMatching(`[^\x00-\x20,"#%\x7f][^\x00-\x20,\x7f]{0,12}`)
		sep := rapid.SampledFrom([]string{" ", "\t", ",", " , "}).Draw(rt, "separator")
		weighted := rapid.Bool().Draw(rt, "weighted")
		var b strings.Builder
		var want []edgeSeen
		for range rapid.IntRange(1, 60).Draw(rt, "edges") {
			e := edgeSeen{U: name.Draw(rt, "u"), V: name.Draw(rt, "v")}
			fmt.Fprintf(&b, "%s%s%s", e.U, sep, e.V)
			if weighted {
				e.W = float32(rapid.IntRange(0, 1<<24).Draw(rt, "w"))
				fmt.Fprintf(&b, "%s%g", sep, e.W)
			}
			b.WriteString(rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "end"))
			want = append(want, e)
		}
		o := drawOptions(rt)
		o.IDs = read.IDsString
		o.Format = text.EL // no header lines
		o.Weights = map[bool]read.WeightMode{true: read.WeightsYes, false: read.WeightsAuto}[weighted]
		r := readBytes(t, "g.el", []byte(b.String()), o)
		if r.err != nil {
			rt.Fatalf("%v\n%q", r.err, b.String())
		}
		slices.SortFunc(want, compareSeen)
		if diff := gocmp.Diff(want, r.sink.sorted()); diff != "" {
			rt.Fatalf("edges (-want +got):\n%s", diff)
		}
	})
}

// TestBlocksMakeNoDifference reads lines of all kinds, good and bad: what comes
// of them must not depend on blocks and goroutines.
func TestBlocksMakeNoDifference(t *testing.T) {
	field := rapid.SampledFrom([]string{
		"0", "1", "12", "1234567", "12345678", "123456789012345", "1234567890123456",
		"12345678901234567890", "99999999999999999999",
		"-1", "+7", "-0", "x", "ab#", "\"1\"", "\"q", "\"a\"\"b\"", "", "1.5", "-2.5", "1e9", "nan", "0.1234567890123456789",
		".", "#", "%", "é", "\x01", "a",
	})
	sep := rapid.SampledFrom([]string{" ", "\t", ",", "  ", " ,", ",,", ""})
	end := rapid.SampledFrom([]string{"\n", "\r\n", " \n", "\n\n", "\r", ""})
	line := rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for i := range rapid.SampledFrom([]int{0, 1, 2, 2, 2, 2, 2, 3, 3, 4}).Draw(t, "fields") {
			if i > 0 {
				b.WriteString(sep.Draw(t, "separator"))
			}
			b.WriteString(field.Draw(t, "field"))
		}
		return b.String() + end.Draw(t, "end")
	})
	rapid.Check(t, func(rt *rapid.T) {
		content := strings.Join(rapid.SliceOfN(line, 1, 40).Draw(rt, "lines"), "")
		format := rapid.SampledFrom([]read.FormatName{text.Text, text.EL, text.WEL, text.LDBC, "mtx", text.DIMACS}).Draw(rt,
			"format")
		switch format {
		case "mtx":
			content = "%%MatrixMarket matrix coordinate real general\n2000000 13 20\n" + content
		case text.DIMACS:
			content = "p sp 2000000 20\n" + strings.ReplaceAll(content, "\n", "\na ")
		}
		base := read.Options{
			Format: format,
			IDs: rapid.SampledFrom([]read.IDMode{read.IDsAuto, read.IDsDense, read.IDsInt, read.IDsString}).Draw(rt,
				"ids"),
			Weights: rapid.SampledFrom([]read.WeightMode{read.WeightsAuto, read.WeightsYes, read.WeightsNo}).Draw(rt,
				"weights"),
			SkipBadLines: rapid.Bool().Draw(rt, "skip"),
		}
		sameOutcome(t, rt, "g.v", []byte(content), base, drawOptions(rt))
	})
}

// sameOutcome reads content twice, as one block by one goroutine and as o says,
// and compares the outcomes.
func sameOutcome(
	t testing.TB, f interface{ Fatalf(string, ...any) }, name string, content []byte, base, o read.Options,
) readOutcome {
	t.Helper()
	one := base
	one.BlockBytes, one.Threads = 1<<16, 1
	base.BlockBytes, base.Threads = o.BlockBytes, o.Threads
	a, b := readBytes(t, name, content, one), readBytes(t, name, content, base)
	if fmt.Sprint(a.err) != fmt.Sprint(b.err) {
		f.Fatalf("one block: %v\nmany: %v\n%q", a.err, b.err, content)
	}
	if a.err != nil {
		return a
	}
	slices.Sort(a.sink.vertices)
	slices.Sort(b.sink.vertices)
	if diff := gocmp.Diff(a.sink.sorted(), b.sink.sorted()) + gocmp.Diff(a.sink.vertices, b.sink.vertices); diff != "" {
		f.Fatalf("one block and many (-one +many):\n%s\n%q", diff, content)
	}
	if a.schema != b.schema || a.stats != b.stats ||
		cmp.Compare(strings.Join(a.warns, "\n"), strings.Join(b.warns, "\n")) != 0 {
		f.Fatalf("one block: %+v %+v %q\nmany: %+v %+v %q", a.schema, a.stats, a.warns, b.schema, b.stats, b.warns)
	}
	return a
}

// TestPlainLinesAgree compares the fast path with the general one, line by line.
func TestPlainLinesAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base := read.Options{
			Format: rapid.SampledFrom([]read.FormatName{text.Text, text.EL}).Draw(rt, "format"),
			IDs:    rapid.SampledFrom([]read.IDMode{read.IDsDense, read.IDsInt, read.IDsString}).Draw(rt, "ids"),
			Weights: rapid.SampledFrom([]read.WeightMode{read.WeightsAuto, read.WeightsYes, read.WeightsNo}).Draw(rt,
				"weights"),
			SkipBadLines: true,
		}
		if base.Format == text.Text && base.IDs != read.IDsString {
			base.Table.Header = read.HeaderNo
			base.Table.Delimiter = rapid.SampledFrom([]byte{0, ',', '\t', ' ', ';'}).Draw(rt, "delimiter")
			base.Table.Columns = rapid.SampledFrom([][]string{nil, {"1", "2"}, {"1", "2", "3"}, {"1", "3"}}).Draw(rt, "columns")
			if base.Table.Columns != nil {
				base.Weights = read.WeightsAuto
			}
		}
		rest := `([ \t,]"[0-9, ]{1,3}"?)?`
		if base.IDs == read.IDsString {
			rest = "" // names may have quotes, and slowed puts more around them
		}
		content := rapid.StringMatching(`([0-9]{0,20}[ \t,x]{0,2}[0-9]{0,20}[ \t,]?[0-9.e]{0,20}`+rest+`[ \t]?\r?\n){1,20}`).
			Draw(rt, "lines")
		fast := readBytes(t, "g", []byte(content), base)
		// A sign, or quotes, take a line out of the fast path and change nothing.
		slow := readBytes(t, "g", []byte(slowed(content, base.IDs)), base)
		if (fast.err == nil) != (slow.err == nil) || fast.stats.Entries != slow.stats.Entries ||
			fast.stats.BadLines != slow.stats.BadLines {
			rt.Fatalf("fast: %v, %+v\nslow: %v, %+v\n%q", fast.err, fast.stats, slow.err, slow.stats, content)
		}
		if fast.err != nil { // of lines that are not the same
			return
		}
		if diff := gocmp.Diff(fast.sink.sorted(), slow.sink.sorted()); diff != "" {
			rt.Fatalf("(-fast +slow):\n%s", diff)
		}
	})
}

// slowed writes the first field of each line in a way that the fast path leaves
// to the general one.
func slowed(content string, ids read.IDMode) string {
	lines := strings.SplitAfter(content, "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(line, "0123456789")
		digits := line[:len(line)-len(rest)]
		if digits == "" {
			continue
		}
		if ids == read.IDsString {
			if rest[0] != 'x' { // else a name goes on
				lines[i] = `"` + digits + `"` + rest
			}
			continue
		}
		lines[i] = "+" + line
	}
	return strings.Join(lines, "")
}
