package all_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/ingest/read"
)

// The graph of these tests has four vertices and five edges, one of them a loop
// and none at vertex 3:
//
//	0 → 1 (7), 0 → 2 (1), 1 → 2 (2), 2 → 0 (255), 2 → 2 (0)
var fourEdges = []edgeGiven{{0, 1, 7}, {0, 2, 1}, {1, 2, 2}, {2, 0, 255}, {2, 2, 0}}

// fourSeen is the graph as a sink sees it.
func fourSeen(weighted bool) []edgeSeen {
	var seen []edgeSeen
	for _, e := range fourEdges {
		s := edgeSeen{U: fmt.Sprint(e.u), V: fmt.Sprint(e.v)}
		if weighted {
			s.W = e.w
		}
		seen = append(seen, s)
	}
	slices.SortFunc(seen, compareSeen)
	return seen
}

// fourFiles returns the graph in every format, with the schema that it should give.
func fourFiles() []struct {
	file   testFile
	schema read.Schema
} {
	plain := textStyle{sep: "\t", eol: "\n", lastEOL: true}
	weighted := plain
	weighted.weighted = true
	type file = struct {
		file   testFile
		schema read.Schema
	}
	return []file{
		{testFile{name: "four.txt", content: writeText(fourEdges, plain)},
			read.Schema{Format: text.Text, IDs: read.IDInt, Vertices: -1}},
		{testFile{name: "four.csv", content: writeText(fourEdges, textStyle{sep: ", ", eol: "\r\n", weighted: true})},
			read.Schema{Format: text.Text, IDs: read.IDInt, Vertices: -1, Weighted: true}},
		{testFile{name: "four", content: append([]byte("\xef\xbb\xbf# Nodes: 4\n\n"), writeText(fourEdges, plain)...)},
			read.Schema{Format: text.Text, IDs: read.IDInt, Vertices: -1}},
		{testFile{name: "four.el", content: writeText(fourEdges, plain)},
			read.Schema{Format: text.EL, IDs: read.IDDense, Vertices: -1}},
		{testFile{name: "four.wel", content: writeText(fourEdges, weighted)},
			read.Schema{Format: text.WEL, IDs: read.IDDense, Vertices: -1, Weighted: true}},
		{testFile{name: "four.mtx", content: writeMatrixMarket(fourEdges, 4, "pattern")},
			read.Schema{Format: "mtx", IDs: read.IDDense, Base: 1, Vertices: 4}},
		{testFile{name: "renamed.txt", content: writeMatrixMarket(fourEdges, 4, "real")},
			read.Schema{Format: "mtx", IDs: read.IDDense, Base: 1, Vertices: 4, Weighted: true}},
		{testFile{name: "four.gr", content: writeDIMACS(fourEdges, 4)},
			read.Schema{Format: text.DIMACS, IDs: read.IDDense, Base: 1, Vertices: 4, Weighted: true}},
		{testFile{name: "renamed", content: writeDIMACS(fourEdges, 4)},
			read.Schema{Format: text.DIMACS, IDs: read.IDDense, Base: 1, Vertices: 4, Weighted: true}},
		{testFile{name: "four.sg", content: writeSG(fourEdges, 4, false, true)},
			read.Schema{Format: "sg", IDs: read.IDDense, Vertices: 4}},
		{testFile{name: "four.wsg", content: writeSG(fourEdges, 4, true, true)},
			read.Schema{Format: "wsg", IDs: read.IDDense, Vertices: 4, Weighted: true}},
		{testFile{name: "four.e", content: writeText(fourEdges, textStyle{sep: " ", eol: "\n"})},
			read.Schema{Format: text.LDBC, IDs: read.IDInt, Vertices: -1}},
		{testFile{name: "four.bin", content: writeRaw(fourEdges, false)},
			read.Schema{Format: "raw", IDs: read.IDInt, Vertices: -1}},
		{testFile{name: "four.u32", content: writeRaw(fourEdges, false)},
			read.Schema{Format: "raw", IDs: read.IDInt, Vertices: -1}},
		{testFile{name: "four.wbin", content: writeRaw(fourEdges, true)},
			read.Schema{Format: "raww", IDs: read.IDInt, Vertices: -1, Weighted: true}},
	}
}

// TestReadFormats reads the graph in every format, plain and compressed, with
// blocks of every size from one line up.
func TestReadFormats(t *testing.T) {
	for _, c := range fourFiles() {
		for _, packed := range []string{"", ".gz", ".zst"} {
			t.Run(c.file.name+packed, func(t *testing.T) {
				f := testFile{name: c.file.name + packed, content: c.file.content}
				schema := c.schema
				switch packed {
				case ".gz":
					f.content = gzipped(t, f.content)
				case ".zst":
					f.content = zstandard(t, f.content)
				}
				for block := 0; block < 80; block += 8 {
					r := readFiles(t, read.Options{BlockBytes: block, Threads: 1 + block%3}, f)
					if r.err != nil {
						t.Fatal(r.err)
					}
					if diff := cmp.Diff(schema, r.schema); diff != "" {
						t.Fatalf("schema (-want +got):\n%s", diff)
					}
					if diff := cmp.Diff(fourSeen(schema.Weighted), r.sink.sorted()); diff != "" {
						t.Fatalf("edges with blocks of %d (-want +got):\n%s", block, diff)
					}
					want := read.Stats{Entries: 5}
					if r.stats != want {
						t.Fatalf("stats %+v, want %+v", r.stats, want)
					}
					if r.sink.begun != 1 || len(r.warns) != 0 {
						t.Fatalf("Begin called %d times, warnings %q", r.sink.begun, r.warns)
					}
				}
			})
		}
	}
}

// TestUndirectedSG checks that a file that says that it is undirected has both directions
// of each edge, each as often and of the same weight.
func TestUndirectedSG(t *testing.T) {
	for _, c := range []struct {
		name     string
		edges    []edgeGiven
		weighted bool
		noWeight bool   // --weights no
		problem  string // "" if there is none
	}{
		{name: "both directions", edges: []edgeGiven{{0, 1, 1}, {1, 0, 1}, {2, 2, 5}}},
		{name: "one direction", edges: []edgeGiven{{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}, problem: "without the other direction;"},
		{name: "twice and once", edges: []edgeGiven{{0, 1, 1}, {0, 1, 1}, {1, 0, 1}},
			problem: "without the other direction;"},
		{name: "weights", edges: []edgeGiven{{0, 1, 3}, {0, 1, 4}, {1, 0, 4}, {1, 0, 3}, {2, 2, 5}}, weighted: true},
		{name: "another weight", edges: []edgeGiven{{0, 1, 3}, {1, 0, 4}}, weighted: true,
			problem: "or with another weight there;"},
		{name: "weights passed over", edges: []edgeGiven{{0, 1, 3}, {1, 0, 4}}, weighted: true, noWeight: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := read.Options{BlockBytes: 16, Threads: 2}
			if c.noWeight {
				o.Weights = read.WeightsNo
			}
			name := map[bool]string{true: "g.wsg", false: "g.sg"}[c.weighted]
			r := readBytes(t, name, writeSG(c.edges, 3, c.weighted, false), o)
			if c.problem == "" {
				if r.err != nil || int(r.stats.Entries) != len(c.edges) {
					t.Errorf("%d edges, error %v", r.stats.Entries, r.err)
				}
				return
			}
			var damaged *read.DamagedError
			if !errors.As(r.err, &damaged) ||
				!strings.HasPrefix(r.err.Error(), name+": says that it is undirected, but has an edge "+"without") ||
				!strings.Contains(r.err.Error(), c.problem) {
				t.Errorf("got %v", r.err)
			}
		})
	}
}

// TestAppended checks that bytes behind a compressed stream are an error.
func TestAppended(t *testing.T) {
	plain := []byte("1 2\n3 4\n")
	twice := slices.Concat(gzipped(t, plain), gzipped(t, plain))
	for name, packed := range map[string][]byte{"g.gz": gzipped(t, plain), "two.gz": twice, "g.zst": zstandard(t, plain)} {
		for _, garbage := range []string{"\n", "x\n", "\n\n\n\n", "some text that was appended to it",
			strings.Repeat("\x00", 512)} {
			r := readBytes(t, name, append(bytes.Clone(packed), garbage...), read.Options{})
			var damaged *read.DamagedError
			if !errors.As(r.err, &damaged) {
				t.Errorf("%s and %.9q: %v", name, garbage, r.err)
			}
		}
	}
	for cut := len(twice) - 1; cut > len(twice)/2; cut-- {
		if r := readBytes(t, "g.gz", twice[:cut], read.Options{}); !errors.Is(r.err, io.ErrUnexpectedEOF) {
			t.Errorf("cut to %d of %d bytes: %v", cut, len(twice), r.err)
		}
	}
}

// TestReadStdin reads the formats that content alone gives away from standard
// input, and the others by name.
func TestReadStdin(t *testing.T) {
	for _, c := range fourFiles() {
		content := c.file.content
		for _, packed := range [][]byte{content, gzipped(t, content), zstandard(t, content)} {
			o := read.Options{Stdin: bytes.NewReader(packed), BlockBytes: 64, Threads: 2}
			switch c.schema.Format {
			case text.Text, "mtx", text.DIMACS:
			default:
				o.Format = c.schema.Format
			}
			r := readNames(t, o, []string{"-"})
			if r.err != nil {
				t.Fatal(c.file.name, r.err)
			}
			if diff := cmp.Diff(c.schema, r.schema); diff != "" {
				t.Fatalf("%s: schema (-want +got):\n%s", c.file.name, diff)
			}
			if diff := cmp.Diff(fourSeen(c.schema.Weighted), r.sink.sorted()); diff != "" {
				t.Fatalf("%s: edges (-want +got):\n%s", c.file.name, diff)
			}
		}
	}
}

// textCase is a text, how it is read, and what should come of it. Edges are
// written "u v" or "u v w", one after the other, with · for a blank in a name.
type textCase struct {
	name   string
	file   testFile
	o      read.Options
	ids    read.IDKind
	edges  string
	warned string // part of a warning
	bad    int64
}

// TestReadTextForms reads the many ways in which edge lists are written.
func TestReadTextForms(t *testing.T) {
	for _, c := range []textCase{
		{name: "blanks", file: textFile("g.txt", "  1 \t 2\t\n\n \t\n3     4  \r\n"), ids: read.IDInt, edges: "1 2, 3 4"},
		{name: "commas", file: textFile("g.csv", "1,2\n3 , 4\n5,\t6\n"), ids: read.IDInt, edges: "1 2, 3 4, 5 6"},
		{name: "comments", file: textFile("g.txt", "# a\n% b\n1 2\n  # c\n3 4\n"), ids: read.IDInt, edges: "1 2, 3 4"},
		{name: "carriage return at the end", file: textFile("g.txt", "1 2\r\n3 4\r"), ids: read.IDInt, edges: "1 2, 3 4"},
		{name: "signs in integers asked for", file: textFile("g.txt", "+1 -2\n-0 3\n"), o: read.Options{IDs: read.IDsInt},
			ids: read.IDInt, edges: "1 -2, 0 3"},
		{name: "longest integers",
			file: textFile("g.txt", "-9223372036854775808 9223372036854775807\n000000000000000000000000012 1\n"),
			o:    read.Options{IDs: read.IDsInt},
			ids:  read.IDInt, edges: "-9223372036854775808 9223372036854775807, 12 1"},
		{name: "leading zeros", file: textFile("g.txt", "1234 2\n01234 3\n"), ids: read.IDString, edges: "1234 2, 01234 3",
			warned: `g.txt:2: "01234" is not an integer of 64 bits as these are usually written`},
		{name: "minus zero", file: textFile("g.txt", "0 -0\n"), ids: read.IDString, edges: "0 -0",
			warned: `g.txt:1: "-0" is not an integer`},
		{name: "leading zeros among names", file: textFile("g.txt", "007 bond\n"), ids: read.IDString, edges: "007 bond"},
		{name: "leading zeros below a header", file: textFile("g.csv", "code,next\n007,008\n"), ids: read.IDString,
			edges: "007 008", warned: `g.csv:1: "code,next" was taken for a header line`},
		{name: "unsigned", file: textFile("g.txt", "18446744073709551615 9223372036854775808\n0 1\n"),
			ids: read.IDInt, edges: "-1 -9223372036854775808, 0 1"}, // the bits of the uint64
		{name: "names", file: textFile("g.txt", "alice bob\nbob 7\n"), ids: read.IDString, edges: "alice bob, bob 7"},
		{name: "names that are no UTF-8", file: textFile("g.txt", "\xff\xfe \x80\n"),
			ids: read.IDString, edges: "\xff\xfe \x80"},
		{name: "quoted names", file: textFile("g.csv", "\"a\",\"b\"\"c\"\n\"#x\" , y\"z\n"), ids: read.IDString,
			edges: "a b\"c, #x y\"z", warned: "may be a header line"},
		{name: "quoted integers", file: textFile("g.csv", "\"1\",\"2\"\n3,\"4\"\n"), ids: read.IDInt, edges: "1 2, 3 4"},
		{name: "names of control characters",
			file: textFile("g.txt", "\x01 \x02\n\x03 \x04\n\x05 \x7f\n"), o: read.Options{Format: text.Text},
			ids: read.IDString, edges: "\x01 \x02, \x03 \x04, \x05 \x7f"},
		{name: "a few names among integers", file: textFile("g.txt", strings.Repeat("1 2\n", 9)+"1 x\n"), ids: read.IDString,
			edges: strings.Repeat("1 2, ", 9) + "1 x", warned: `g.txt:10: "x" is not an integer of 64 bits`},
		{name: "integers of more than 64 bits", file: textFile("g.txt", "1 2\n2 18446744073709551616\n"),
			ids: read.IDString, edges: "1 2, 2 18446744073709551616",
			warned: `"18446744073709551616" is not an integer of 64 bits`},

		{name: "weights", file: textFile("g.txt", "1 2 0.25\n3 4 1e3\n5 6 7\n"), ids: read.IDInt,
			edges: "1 2 0.25, 3 4 1000, 5 6 7"},
		{name: "weights ignored", file: textFile("g.txt", "1 2 x\n3 4\n5 6 7 8\n7 8 \"\n"),
			o: read.Options{Weights: read.WeightsNo}, ids: read.IDInt, edges: "1 2, 3 4, 5 6, 7 8"},
		{name: "quotes behind the ids",
			file: textFile("g.csv", "1,2,\"a, \"\"b\"\"\"\n3,4,x \"y\n5,6,\"Undirected\", \"z\" z,\n\"7\",8,\"\",\"\"\r\n"),
			o:    read.Options{Weights: read.WeightsNo}, ids: read.IDInt, edges: "1 2, 3 4, 5 6, 7 8"},
		{name: "quotes of text behind the ids", file: textFile("g.txt", "1 2 \"a\n3\t4\t{\"a\": 1, \"b\n5 , 6 \"b\n"),
			o: read.Options{Weights: read.WeightsNo}, ids: read.IDInt, edges: "1 2, 3 4, 5 6"},
		{name: "weights ignored by comma", file: textFile("g.csv", "1,2,\n3,4,x,y\n"),
			o: read.Options{Weights: read.WeightsNo}, ids: read.IDInt, edges: "1 2, 3 4"},
		{name: "weights of .wel ignored", file: textFile("g.wel", "1 2 3\n"), o: read.Options{Weights: read.WeightsNo},
			ids: read.IDDense, edges: "1 2"},

		{name: "header of usual names", file: textFile("g.csv", "# c\nSource,Target\na,b\n"), ids: read.IDString,
			edges: "a b", warned: `g.csv:2: "Source,Target" was taken for a header line`},
		{name: "header with a weight", file: textFile("g.csv", "from\tto\tweight\r\n1\t2\t3\r\n"), ids: read.IDInt,
			edges: "1 2 3", warned: "header line"},
		{name: "header before integers", file: textFile("g.csv", "paper,cited\n1,2\n"), ids: read.IDInt,
			edges: "1 2", warned: "header line"},
		{name: "header alone", file: textFile("g.csv", "src,dst\n"), ids: read.IDInt, warned: "header line"},
		{name: "no header before names", file: textFile("g.csv", "paper,cited\n1,x\n"),
			ids: read.IDString, edges: "paper cited, 1 x",
			warned: `g.csv:1: "paper,cited" was taken for an edge, though it may be a header line; use --header`},
		{name: "no header, for its ids come again", file: textFile("g.csv", "ann,bob\nbob,eve\n"),
			ids: read.IDString, edges: "ann bob, bob eve"},
		{name: "no header in what is no table", file: textFile("g.txt", "paper cited\nx y\n"),
			ids: read.IDString, edges: "paper cited, x y"},
		{name: "no usual name of a weight", file: textFile("g.csv", "source,target,timestamp\n1,2,3\n"),
			o: table(0, read.HeaderYes), ids: read.IDInt, edges: "1 2 3",
			warned: `g.csv: column "timestamp" is taken as the weight; --weights no leaves it out`},
		{name: "header as said", file: textFile("g.csv", "paper,cited\nx,y\n"), o: table(0, read.HeaderYes),
			ids: read.IDString, edges: "x y"},
		{name: "no header as said", file: textFile("g.csv", "source,target\nx,y\n"), o: table(0, read.HeaderNo),
			ids: read.IDString, edges: "source target, x y"},
		{name: "no header of numbers", file: textFile("g.csv", "1.0,2.0\n1,3\n"), o: read.Options{IDs: read.IDsString},
			ids: read.IDString, edges: "1.0 2.0, 1 3"},
		{name: "no header of empty cells", file: textFile("g.txt", "a,b,\nc,d,2\n"), o: table(',', read.HeaderAuto, "1", "2"),
			ids: read.IDString, edges: "a b, c d", warned: `"a,b," was taken for an edge, though it may be a header line`},
		{name: "no header with a number", file: textFile("g.csv", "a,b,1\n1,2,3\n"),
			ids: read.IDString, edges: "a b 1, 1 2 3"},

		{name: "names with blanks and commas",
			file: textFile("g.csv", "\"New York, NY\",Boston\nBoston,\"Los Angeles\"\n"), ids: read.IDString,
			edges: "New·York,·NY Boston, Boston Los·Angeles"},
		{name: "delimiter comma",
			file: textFile("g.csv", "New York , Boston\n Boston,\"New York\"\nBoston, \"a \"\"b\"\", c\" \n"),
			o:    table(',', read.HeaderNo), ids: read.IDString,
			edges: "New·York Boston, Boston New·York, Boston a·\"b\",·c"},
		{name: "delimiter space", file: textFile("g.txt", "  a,b   c\td\ne f\n"), o: table(' ', read.HeaderNo),
			ids: read.IDString, edges: "a,b c\td, e f"},
		{name: "a semicolon in some name", file: textFile("g.csv", "a,b;c\nb;c,d\nd,e\n"),
			ids: read.IDString, edges: "a b;c, b;c d, d e"},
		{name: "semicolons in quotes", file: textFile("g.csv", "\"a;b\",c\n\"d;e\",c\n"),
			ids: read.IDString, edges: "a;b c, d;e c"},
		{name: "destinations of parts", file: textFile("g.csv", "ann,film|1\nbob,film|2\n"), o: table(0, read.HeaderNo),
			ids: read.IDString, edges: "ann film|1, bob film|2"},
		{name: "parts between tabs", file: textFile("g.txt", "sp|P1|X\tsp|P2|Y\nsp|P2|Y\tsp|P3|Z\n"), ids: read.IDString,
			edges: "sp|P1|X sp|P2|Y, sp|P2|Y sp|P3|Z"},
		{name: "parts between blanks", file: textFile("g.txt", "ann film|1\nbob film|2\n"), ids: read.IDString,
			edges: "ann film|1, bob film|2"},
		{name: "parts behind the ids", file: textFile("g.csv", "1,2,a;b\n2,3,c;d\n"),
			o: read.Options{Weights: read.WeightsNo}, ids: read.IDInt, edges: "1 2, 2 3"},
		{name: "comments behind edges", file: textFile("g.txt", "ann bob 1\n# a comment\n#comment\n#a comment\nbob eve 2\n"),
			ids: read.IDString, edges: "ann bob 1, bob eve 2"},
		{name: "the header of joined integers", file: textFile("g.csv", "from,to\n1,2\nfrom,to\n2,3\n"),
			o: read.Options{SkipBadLines: true}, ids: read.IDInt, edges: "1 2, 2 3", bad: 1,
			warned: `g.csv:3: "from": expected an integer`},
		{name: "delimiter and weights ignored", file: textFile("g.tsv", "1\t2\tx y\n3\t4\n"),
			o: read.Options{Weights: read.WeightsNo, Table: read.TableOptions{Delimiter: '\t'}}, ids: read.IDInt,
			edges: "1 2, 3 4"},

		{name: "commas by the name", file: textFile("g.csv", "# trips\nNew York,Paris,3\nParis, Rome (Lazio) ,2\n"),
			ids: read.IDString, edges: "New·York Paris 3, Paris Rome·(Lazio) 2"},
		{name: "tabs by the name",
			file: testFile{name: "G.TSV.gz", content: gzipped(t, []byte("New York\tParis, France\nParis, France\tOslo\n"))},
			ids:  read.IDString, edges: "New·York Paris,·France, Paris,·France Oslo"},
		{name: "numbers with blanks, in spite of the name", file: textFile("g.csv", "1 2,5\n2 3,7\n"),
			ids: read.IDInt, edges: "1 2 5, 2 3 7"},
		{name: "header with an empty cell", file: textFile("g.csv", "source,target,\n1,2,3\n2,3,4\n"), ids: read.IDInt,
			edges: "1 2 3, 2 3 4", warned: "header line"},
		{name: "header and cells that are empty", file: textFile("g.csv", "source,target,\n1,2,\n2,3,\n"),
			o: read.Options{Weights: read.WeightsNo}, ids: read.IDInt, edges: "1 2, 2 3", warned: "header line"},
		{name: "another delimiter than the name says", file: textFile("g.csv", "a, b;c d\nc d;e, f\n"),
			o: table(';', read.HeaderAuto), ids: read.IDString, edges: "a,·b c·d, c·d e,·f"},
		{name: "columns of names by name", file: textFile("g.csv", "payer,payee,amount,when\nAnna Bell,Carl Dow,12.5,2024\n"),
			o: table(0, read.HeaderAuto, "payer", "payee", "amount"), ids: read.IDString, edges: "Anna·Bell Carl·Dow 12.5"},
		{name: "columns without a delimiter", file: textFile("g.txt", "1 2 0.5 1082040961\n3 4 0.25 1082155839\n"),
			o: table(0, read.HeaderAuto, "2", "1", "3"), ids: read.IDInt, edges: "2 1 0.5, 4 3 0.25"},
		{name: "columns with spaces and tabs", file: textFile("g.txt", "1 2\t0.5 1082040961\n3 4\t0.25 1082155839\n"),
			o: table(0, read.HeaderAuto, "1", "2", "4"), ids: read.IDInt, edges: "1 2 1.082041e+09, 3 4 1.0821558e+09"},
		{name: "numbers as names with spaces and tabs", file: textFile("g.txt", "1 2\t0.5\nx y 0.25\n"),
			ids: read.IDString, edges: "1 2 0.5, x y 0.25"},
		{name: "columns by name", file: textFile("g.csv",
			"# trips\nid,Start Place,end place,km\n1,New York,Boston,346\n2,Boston,,9\n3,Boston,New York,346.5\n"),
			o: read.Options{
				SkipBadLines: true, Table: read.TableOptions{Delimiter: ',', Columns: []string{"Start Place", "End Place", "km"}},
			},
			ids: read.IDString, edges: "New·York Boston 346, Boston New·York 346.5", bad: 1,
			warned: `g.csv:4: "": expected an id that is not empty`},
		{name: "columns past empty ones", file: textFile("g.tsv", "\t1\t\t2\n\t3\tx\t4\n"),
			o: table('\t', read.HeaderNo, "2", "4"), ids: read.IDInt, edges: "1 2, 3 4"},

		{name: "bad lines", file: textFile("g.txt", "1 2\nx 3\n4\n5 6 7\n7 8\n"),
			o: read.Options{SkipBadLines: true, IDs: read.IDsInt}, ids: read.IDInt, edges: "1 2, 7 8",
			bad: 3, warned: `3 bad lines were passed over; the first is `},
		{name: "bad line first", file: textFile("g.txt", "1\n1 2 5\n3 4 6\n"), o: read.Options{SkipBadLines: true},
			ids: read.IDInt, edges: "1 2 5, 3 4 6", bad: 1, warned: "1 bad line"},

		{name: "whole numbers that are rounded",
			file: textFile("g.txt", "1 2 16777216\n3 4 16777217\n5 6 16777218\n7 8 20000001\n9 9 1.6777219e7\n9 8 16777217.5\n"),
			o:    read.Options{Weights: read.WeightsFloat32}, ids: read.IDInt,
			edges:  "1 2 1.6777216e+07, 3 4 1.6777216e+07, 5 6 1.6777218e+07, 7 8 2e+07, 9 9 1.677722e+07, 9 8 1.6777218e+07",
			warned: "3 weights were rounded to 24 bits, the largest to 20000000"},
		{name: "whole numbers next to ones of few bits", file: textFile("g.txt",
			"1 2 9007199254740993\n3 4 18014398509481985\n5 6 9007199254740992\n7 8 18014398509481985.0\n"), ids: read.IDInt,
			edges:  "1 2 9.007199e+15, 3 4 1.8014399e+16, 5 6 9.007199e+15, 7 8 1.8014399e+16",
			warned: "3 weights were rounded to 24 bits, the largest to 18014398509481984"},
		{name: "vertices alone", file: textFile("x.v", "1\n2\n"), ids: read.IDInt,
			warned: "x.v has vertices only; name the .e file with the edges too"},
		{name: "only comments", file: textFile("g.txt", "# nothing\n"), ids: read.IDInt},
		{name: "empty", file: textFile("g.txt", ""), ids: read.IDInt, warned: "g.txt: the file is empty"},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

func (c textCase) run(t *testing.T) {
	for _, block := range []int{16, 64, 1 << 20} {
		c.o.BlockBytes, c.o.Threads = block, 2
		r := readFiles(t, c.o, c.file)
		if r.err != nil {
			t.Fatal(r.err)
		}
		if r.schema.IDs != c.ids {
			t.Fatalf("ids are %s, want %s", r.schema.IDs.Name(), c.ids.Name())
		}
		if got, want := joinEdges(r.sink.sorted(), r.schema.Weighted), sortEdges(c.edges); got != want {
			t.Fatalf("with blocks of %d:\n got %q\nwant %q", block, got, want)
		}
		if warns := strings.Join(r.warns, "\n"); !strings.Contains(warns, c.warned) || c.warned == "" && warns != "" {
			t.Fatalf("warnings %q, want %q", warns, c.warned)
		}
		if r.stats.BadLines != c.bad {
			t.Fatalf("%d bad lines, want %d", r.stats.BadLines, c.bad)
		}
	}
}

func joinEdges(edges []edgeSeen, weighted bool) string {
	var lines []string
	for _, e := range edges {
		line := strings.ReplaceAll(e.U, " ", "·") + " " + strings.ReplaceAll(e.V, " ", "·")
		if weighted {
			line += fmt.Sprintf(" %g", e.W)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}

func sortEdges(edges string) string {
	lines := strings.Split(edges, ", ")
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}

// TestReadMatrixMarketForms reads what Matrix Market headers may say.
func TestReadMatrixMarketForms(t *testing.T) {
	const body = "\n% c\n\n 3 5  2 \n3 5 1\n\n%x\n1 2 2.5\n"
	for _, c := range []struct {
		name, content string
		o             read.Options
		schema        read.Schema
		edges         string
	}{
		{"rectangular", "%%MatrixMarket matrix coordinate real general" + body, read.Options{},
			read.Schema{Format: "mtx", Base: 1, Vertices: 5, Weighted: true}, "2 4 1, 0 1 2.5"},
		{"any case", "%%matrixmarket MATRIX Coordinate Integer GENERAL" + body, read.Options{},
			read.Schema{Format: "mtx", Base: 1, Vertices: 5, Weighted: true}, "2 4 1, 0 1 2.5"},
		{"weights ignored", "%%MatrixMarket matrix coordinate real general" + body, read.Options{Weights: read.WeightsNo},
			read.Schema{Format: "mtx", Base: 1, Vertices: 5}, "2 4, 0 1"},
		{"integers", "%%MatrixMarket matrix coordinate real general" + body, read.Options{IDs: read.IDsInt},
			read.Schema{Format: "mtx", IDs: read.IDInt, Vertices: -1, Weighted: true}, "3 5 1, 1 2 2.5"},
		{"strings", "%%MatrixMarket matrix coordinate real general" + body, read.Options{IDs: read.IDsString},
			read.Schema{Format: "mtx", IDs: read.IDString, Vertices: -1, Weighted: true}, "3 5 1, 1 2 2.5"},
		{"symmetric", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n", read.Options{},
			read.Schema{Format: "mtx", Base: 1, Vertices: 3, Mirrored: true}, "1 0, 2 2"},
		{"nothing", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", read.Options{},
			read.Schema{Format: "mtx", Base: 1}, ""},
		{"largest", "%%MatrixMarket matrix coordinate pattern general\n4294967295 1 1\n4294967295 1\n", read.Options{},
			read.Schema{Format: "mtx", Base: 1, Vertices: 4294967295}, "4294967294 0"},
		{"long header",
			"%%MatrixMarket matrix coordinate pattern general\n" + strings.Repeat("% comment\n", 300_000) + "2 2 1\n1 2\n",
			read.Options{},
			read.Schema{Format: "mtx", Base: 1, Vertices: 2}, "0 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readFiles(t, c.o, textFile("g.mtx", c.content))
			if r.err != nil {
				t.Fatal(r.err)
			}
			if diff := cmp.Diff(c.schema, r.schema); diff != "" {
				t.Fatalf("schema (-want +got):\n%s", diff)
			}
			if got := joinEdges(r.sink.sorted(), r.schema.Weighted); got != sortEdges(c.edges) {
				t.Fatalf("got %q, want %q", got, c.edges)
			}
		})
	}
}

// TestRectangular checks the warning about a matrix whose rows and columns may be of two kinds.
func TestRectangular(t *testing.T) {
	const banner = "%%MatrixMarket matrix coordinate real general\n"
	for size, warned := range map[string]int{"3 1 1\n3 1 0.25\n": 1, "2 2 1\n1 2 3\n": 0} {
		if r := readFiles(t, read.Options{}, textFile("g.mtx", banner+size)); r.err != nil || len(r.warns) != warned {
			t.Errorf("%q: %q, %v", size, r.warns, r.err)
		}
	}
}

// TestReadSeveral reads a graph from several files, compressed or not.
func TestReadSeveral(t *testing.T) {
	line := func(lines string) []byte { return []byte(lines) }
	r := readFiles(t, read.Options{BlockBytes: 16, Threads: 3},
		testFile{name: "a.txt", content: line("0\t1\t7\n0\t2\t1")},
		testFile{name: "b.txt.gz", content: gzipped(t, line("source,target,weight\n1,2,2\n"))},
		testFile{name: "c.txt", content: nil},
		testFile{name: "d.txt", content: line("# nothing here\n")},
		testFile{name: "e.zst", content: zstandard(t, line("2 0 255\n2 2 0\n"))})
	if r.err != nil {
		t.Fatal(r.err)
	}
	if diff := cmp.Diff(fourSeen(true), r.sink.sorted()); diff != "" {
		t.Fatalf("edges (-want +got):\n%s", diff)
	}
	if len(r.warns) != 2 {
		t.Fatalf("warnings %q", r.warns)
	}
}

// TestReadSeveralHeaders joins what headers promise.
func TestReadSeveralHeaders(t *testing.T) {
	r := readFiles(t, read.Options{},
		testFile{name: "a.mtx", content: writeMatrixMarket(fourEdges[:2], 3, "pattern")},
		testFile{name: "b.mtx", content: writeMatrixMarket(fourEdges[2:], 4, "pattern")})
	if r.err != nil {
		t.Fatal(r.err)
	}
	want := read.Schema{Format: "mtx", Base: 1, Vertices: 4}
	if diff := cmp.Diff(want, r.schema); diff != "" {
		t.Fatalf("schema (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(fourSeen(false), r.sink.sorted()); diff != "" {
		t.Fatalf("edges (-want +got):\n%s", diff)
	}
}

// TestReadGzipMembers reads a file of two gzip streams, as cat makes them.
func TestReadGzipMembers(t *testing.T) {
	both := append(gzipped(t, []byte("0 1\n0 2\n1 ")), gzipped(t, []byte("2\n2 0\n2 2\n"))...)
	r := readFiles(t, read.Options{}, testFile{name: "g.txt", content: both})
	if r.err != nil {
		t.Fatal(r.err)
	}
	if diff := cmp.Diff(fourSeen(false), r.sink.sorted()); diff != "" {
		t.Fatalf("edges (-want +got):\n%s", diff)
	}
}

// TestReadLDBC reads a vertex file with its edge file, found or named.
func TestReadLDBC(t *testing.T) {
	v, e := textFile("x.v", "-5\n0\n1\n2\n\n9000000000\n"), textFile("x.e", "0 1 7\n0 2 1\n1 2 2\n2 0 255\n2 2 0\n")
	hidden := v
	hidden.hidden = true
	packed := testFile{name: "x.v.gz", content: gzipped(t, v.content), hidden: true}
	for _, c := range []struct {
		name   string
		files  []testFile
		warned string
	}{
		{"named", []testFile{v, e}, ""},
		{"named last", []testFile{e, v}, ""},
		{"found", []testFile{e, hidden}, "x.v stands beside x.e and is read too, for vertices without edges"},
		{"found compressed", []testFile{e, packed}, "x.v.gz stands beside x.e and is read too, for vertices without edges"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readFiles(t, read.Options{BlockBytes: 16}, c.files...)
			if r.err != nil {
				t.Fatal(r.err)
			}
			want := read.Schema{Format: text.LDBC, IDs: read.IDInt, Vertices: -1, Weighted: true}
			if diff := cmp.Diff(want, r.schema); diff != "" {
				t.Fatalf("schema (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(fourSeen(true), r.sink.sorted()); diff != "" {
				t.Fatalf("edges (-want +got):\n%s", diff)
			}
			slices.Sort(r.sink.vertices)
			if got := strings.Join(r.sink.vertices, " "); got != "-5 0 1 2 9000000000" {
				t.Fatalf("vertices %s", got)
			}
			if got := strings.Join(r.warns, "\n"); got != c.warned {
				t.Fatalf("warnings %q, want %q", got, c.warned)
			}
		})
	}
}

// TestReadLDBCNames reads vertices that are text.
func TestReadLDBCNames(t *testing.T) {
	r := readFiles(t, read.Options{}, textFile("x.v", "a\nb\n\"c\"\n"), textFile("x.e", "a b\n"))
	if r.err != nil {
		t.Fatal(r.err)
	}
	slices.Sort(r.sink.vertices)
	if got := strings.Join(r.sink.vertices, " "); got != "a b c" || r.schema.IDs != read.IDString {
		t.Fatalf("vertices %s, ids %s", got, r.schema.IDs.Name())
	}
}

// TestReadUnsigned reports to the sink's owner how to take the bits of ids.
func TestReadUnsigned(t *testing.T) {
	for content, want := range map[string]bool{"18446744073709551615 1\n": true, "-1 1\n": false, "1 2\n": false} {
		r := readFiles(t, read.Options{}, textFile("g.txt", content))
		if r.err != nil || r.stats.Unsigned != want {
			t.Errorf("%q: unsigned is %v (%v)", content, r.stats.Unsigned, r.err)
		}
	}
}

// TestReadPipe reads a named pipe, which can be opened but once.
func TestReadPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		_, _ = io.WriteString(w, "0 1\n0 2\n1 2\n2 0\n2 2\n")
		w.Close()
	}()
	got := readNames(t, read.Options{}, []string{fmt.Sprintf("/dev/fd/%d", r.Fd())})
	if got.err != nil {
		t.Skip("no /dev/fd here: ", got.err)
	}
	if diff := cmp.Diff(fourSeen(false), got.sink.sorted()); diff != "" {
		t.Fatalf("edges (-want +got):\n%s", diff)
	}
}

// TestReadProgress counts the stored bytes up to the total.
func TestReadProgress(t *testing.T) {
	content := gzipped(t, bytes.Repeat([]byte("1 2\n"), 100_000))
	path := filepath.Join(t.TempDir(), "g.txt.gz")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	var seen []int64
	o := read.Options{BlockBytes: 4096, Progress: func(done, total int64) {
		if total != int64(len(content)) {
			t.Fatalf("total %d, want %d", total, len(content))
		}
		seen = append(seen, done)
	}}
	if r := readNames(t, o, []string{path}); r.err != nil {
		t.Fatal(r.err)
	}
	if !slices.IsSorted(seen) || seen[len(seen)-1] != int64(len(content)) {
		t.Fatalf("progress %d of %d", seen[len(seen)-1], len(content))
	}
}
