package all_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/ingest/read"
)

// TestTableAsCSV writes records with encoding/csv and reads three of their
// columns: names are what they were, but for line ends, which no id has, and
// blanks around those without quotes.
func TestTableAsCSV(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		delimiter := rapid.SampledFrom([]rune{',', ';', '\t', '|', ':'}).Draw(rt, "delimiter")
		name := rapid.StringOfN(rapid.SampledFrom([]rune("ab ,;\t|:\"'#é1")), 0, 8, -1)
		width := rapid.IntRange(2, 6).Draw(rt, "columns")
		src, dst := rapid.IntRange(1, width).Draw(rt, "source"), rapid.IntRange(1, width-1).Draw(rt, "destination")
		if dst >= src {
			dst++
		}
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		w.Comma = delimiter
		var want []string
		records := rapid.SliceOfN(rapid.SliceOfN(name, width, width), 1, 20).Draw(rt, "records")
		for _, r := range records {
			r[src-1], r[dst-1] = "x"+strings.TrimSpace(r[src-1]), "y"+strings.TrimSpace(r[dst-1])
			r[0] = "z" + r[0] // no comment, and no blank line
			for i := range r {
				r[i] = strings.TrimSpace(r[i])
			}
			if err := w.Write(r); err != nil {
				rt.Fatal(err)
			}
			want = append(want, r[src-1]+" → "+r[dst-1])
		}
		w.Flush()
		o := drawOptions(rt)
		o.Table = read.TableOptions{
			Delimiter: byte(delimiter), Header: read.HeaderNo, Columns: []string{fmt.Sprint(src), fmt.Sprint(dst)},
		}
		o.IDs = read.IDsString
		r := readBytes(t, "g.csv", out.Bytes(), o)
		if r.err != nil {
			rt.Fatalf("%v\n%s", r.err, out.String())
		}
		var got []string
		for _, e := range r.sink.sorted() {
			got = append(got, e.U+" → "+e.V)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			rt.Fatalf("got %q\nwant %q\n%s", got, want, out.String())
		}
	})
}

// TestHeadersOfFiles checks that each of several files has a header of its own, and its
// columns at other places.
func TestHeadersOfFiles(t *testing.T) {
	r := readFiles(t, table(',', read.HeaderAuto, "from", "to"), textFile("a.csv", "from,to\nann,bob\n"),
		textFile("b.csv", "n,to,from\n7,bob,eve\n"))
	if r.err != nil {
		t.Fatal(r.err)
	}
	if got, want := joinEdges(r.sink.sorted(), false), "ann bob, eve bob"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTableFormats checks that only text has columns to choose.
func TestTableFormats(t *testing.T) {
	r := readFiles(t, table(',', read.HeaderAuto), testFile{name: "g.sg", content: writeSG(fourEdges, 4, false, true)})
	var input *read.InputError
	if !errors.As(r.err, &input) || !strings.Contains(r.err.Error(), "g.sg: is in format sg, which has no delimiter") {
		t.Errorf("got %v", r.err)
	}
}

func FuzzReadTable(f *testing.F) {
	for i, content := range []string{
		"a,b\n1,2\n", "\"New York, NY\",Boston\n", "1;2;0.5\n", "\t1\t\t2\n", "id,source,target\n1,2,3\n", "a \"b\" c\n",
		"\"a\"\"b\",c,\"d\n", "  1   2 \n", ",,\n#,\n",
	} {
		f.Add([]byte(content), uint16(i*37), uint16(i))
		f.Add([]byte(content), uint16(i*37|16), uint16(i*5+1))
	}
	f.Fuzz(func(t *testing.T, b []byte, choice, columns uint16) {
		o := fuzzOptions(text.Text, choice)
		o.Table = read.TableOptions{
			Delimiter: []byte{0, ',', '\t', ' ', ';', 'x', '#', '-'}[columns&7],
			Header:    []read.HeaderMode{read.HeaderAuto, read.HeaderYes, read.HeaderNo, read.HeaderAuto}[columns>>3&3],
			Columns: [][]string{nil, {"1", "2"}, {"2", "1"}, {"1", "2", "3"}, {"3", "1", "2"}, {"2", "2"},
				{"a", "b"}, {"source", "2"}}[columns>>5&7],
		}
		if o.Table.Check(o.Weights) != nil {
			return
		}
		r := sameOutcome(t, t, "g.csv", b, o,
			read.Options{BlockBytes: 16 + int(choice>>5&63), Threads: 1 + int(choice>>11&3)})
		var syntax *read.SyntaxError
		var input *read.InputError
		var damaged *read.DamagedError
		if r.err != nil && !errors.As(r.err, &syntax) && !errors.As(r.err, &input) && !errors.As(r.err, &damaged) {
			t.Fatalf("an error of no kind: %v", r.err)
		}
	})
}

// TestSameColumn checks that a column that is chosen twice, and a name that several have, are refused.
func TestSameColumn(t *testing.T) {
	for _, c := range []struct {
		columns []string
		want    []int // places from 0; nil if refused
		err     string
	}{
		{[]string{"a", "A"}, []int{0, 2}, ""},
		{[]string{"a", "c"}, []int{0, 4}, ""},
		{[]string{"1", "3", "5"}, []int{0, 2, 4}, ""},
		{[]string{"2", "4"}, []int{1, 3}, ""}, // in a file of columns, the first is a name
		{[]string{"a", "b"}, nil, `expected one column "b" in the header`},
		{[]string{"a", "B"}, nil, `expected one column "B" in the header`},
		{[]string{"a", "1"}, nil, `has one column that is both "a" and "1"; name another one`},
		{[]string{"c", "3", "C"}, nil, `has one column that is both "c" and "C"`},
		{[]string{"a", "5", "c"}, nil, `has one column that is both "5" and "c"`},
	} {
		r := readFiles(t, table(',', read.HeaderYes, c.columns...), textFile("g.csv", "a,b,A,b,C,2\n10,11,12,13,14,15\n"))
		if c.want == nil {
			if r.err == nil || !strings.Contains(r.err.Error(), c.err) {
				t.Errorf("%q: got %v", c.columns, r.err)
			}
			continue
		}
		if r.err != nil {
			t.Errorf("%q: %v", c.columns, r.err)
			continue
		}
		e := r.sink.sorted()[0]
		if e.U != fmt.Sprint(10+c.want[0]) || e.V != fmt.Sprint(10+c.want[1]) {
			t.Errorf("%q: the text has the edge %v", c.columns, e)
		}
	}
	for _, columns := range [][]string{{"a", "a"}, {"3", "4", "3"}} {
		if err := (&read.TableOptions{Columns: columns}).Check(""); err == nil ||
			!strings.Contains(err.Error(), "is there twice") {
			t.Errorf("%q: %v", columns, err)
		}
	}
}
