package ingest

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
)

// The graph of these tests has four vertices and five edges, one of them a loop
// and none at vertex 3:
//
//	0 → 1 (7), 0 → 2 (1), 1 → 2 (2), 2 → 0 (255), 2 → 2 (0)
var fourEdges = []edgeGiven{{0, 1, 7}, {0, 2, 1}, {1, 2, 2}, {2, 0, 255}, {2, 2, 0}}

// fourSeen is what a sink sees of it.
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

// fourFiles is the graph in every format, with the schema that it should give.
func fourFiles() []struct {
	file   testFile
	schema Schema
} {
	plain := textStyle{sep: "\t", eol: "\n", lastEOL: true}
	weighted := plain
	weighted.weighted = true
	type file = struct {
		file   testFile
		schema Schema
	}
	return []file{
		{testFile{name: "four.txt", content: writeText(fourEdges, plain)},
			Schema{Format: Text, IDs: IDInt, Vertices: -1, Edges: -1}},
		{testFile{name: "four.csv", content: writeText(fourEdges, textStyle{sep: ", ", eol: "\r\n", weighted: true})},
			Schema{Format: Text, IDs: IDInt, Vertices: -1, Edges: -1, Weighted: true}},
		{testFile{name: "four", content: append([]byte("\xef\xbb\xbf# Nodes: 4\n\n"), writeText(fourEdges, plain)...)},
			Schema{Format: Text, IDs: IDInt, Vertices: -1, Edges: -1}},
		{testFile{name: "four.el", content: writeText(fourEdges, plain)},
			Schema{Format: EL, IDs: IDDense, Vertices: -1, Edges: -1}},
		{testFile{name: "four.wel", content: writeText(fourEdges, weighted)},
			Schema{Format: WEL, IDs: IDDense, Vertices: -1, Edges: -1, Weighted: true}},
		{testFile{name: "four.mtx", content: writeMatrixMarket(fourEdges, 4, "pattern")},
			Schema{Format: MatrixMarket, IDs: IDDense, Base: 1, Vertices: 4, Edges: 5}},
		{testFile{name: "renamed.txt", content: writeMatrixMarket(fourEdges, 4, "real")},
			Schema{Format: MatrixMarket, IDs: IDDense, Base: 1, Vertices: 4, Edges: 5, Weighted: true}},
		{testFile{name: "four.gr", content: writeDIMACS(fourEdges, 4)},
			Schema{Format: DIMACS, IDs: IDDense, Base: 1, Vertices: 4, Edges: 5, Weighted: true}},
		{testFile{name: "renamed", content: writeDIMACS(fourEdges, 4)},
			Schema{Format: DIMACS, IDs: IDDense, Base: 1, Vertices: 4, Edges: 5, Weighted: true}},
		{testFile{name: "four.sg", content: writeSG(fourEdges, 4, false, true)},
			Schema{Format: SG, IDs: IDDense, Vertices: 4, Edges: 5}},
		{testFile{name: "four.wsg", content: writeSG(fourEdges, 4, true, true)},
			Schema{Format: WSG, IDs: IDDense, Vertices: 4, Edges: 5, Weighted: true}},
		{testFile{name: "four.e", content: writeText(fourEdges, textStyle{sep: " ", eol: "\n"})},
			Schema{Format: LDBC, IDs: IDInt, Vertices: -1, Edges: -1}},
		{testFile{name: "four.bin", content: writeRaw(fourEdges, false)},
			Schema{Format: Raw, IDs: IDInt, Vertices: -1, Edges: 5}},
		{testFile{name: "four.u32", content: writeRaw(fourEdges, false)},
			Schema{Format: Raw, IDs: IDInt, Vertices: -1, Edges: 5}},
		{testFile{name: "four.wbin", content: writeRaw(fourEdges, true)},
			Schema{Format: RawW, IDs: IDInt, Vertices: -1, Edges: 5, Weighted: true}},
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
					r := readFiles(t, ReadOptions{BlockBytes: block, Threads: 1 + block%3}, f)
					if r.err != nil {
						t.Fatal(r.err)
					}
					if diff := cmp.Diff(schema, r.schema); diff != "" {
						t.Fatalf("schema (-want +got):\n%s", diff)
					}
					if diff := cmp.Diff(fourSeen(schema.Weighted), r.sink.sorted()); diff != "" {
						t.Fatalf("edges with blocks of %d (-want +got):\n%s", block, diff)
					}
					want := ReadStats{Entries: 5, Inputs: 1, Bytes: int64(len(f.content))}
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

// TestUndirectedSG: a file that says that it is undirected has both directions
// of each edge, each as often and of the same weight.
func TestUndirectedSG(t *testing.T) {
	for _, c := range []struct {
		name     string
		edges    []edgeGiven
		weighted bool
		noWeight bool   // --weights no
		problem  string // "": none
	}{
		{name: "both directions", edges: []edgeGiven{{0, 1, 1}, {1, 0, 1}, {2, 2, 5}}},
		{name: "one direction", edges: []edgeGiven{{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}, problem: "without the other direction;"},
		{name: "twice and once", edges: []edgeGiven{{0, 1, 1}, {0, 1, 1}, {1, 0, 1}}, problem: "without the other direction;"},
		{name: "weights", edges: []edgeGiven{{0, 1, 3}, {0, 1, 4}, {1, 0, 4}, {1, 0, 3}, {2, 2, 5}}, weighted: true},
		{name: "another weight", edges: []edgeGiven{{0, 1, 3}, {1, 0, 4}}, weighted: true, problem: "or with another weight there;"},
		{name: "weights passed over", edges: []edgeGiven{{0, 1, 3}, {1, 0, 4}}, weighted: true, noWeight: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := ReadOptions{BlockBytes: 16, Threads: 2}
			if c.noWeight {
				o.Weights = WeightsNo
			}
			name := map[bool]string{true: "g.wsg", false: "g.sg"}[c.weighted]
			r := readBytes(t, name, writeSG(c.edges, 3, c.weighted, false), o)
			if c.problem == "" {
				if r.err != nil || int(r.stats.Entries) != len(c.edges) {
					t.Errorf("%d edges, error %v", r.stats.Entries, r.err)
				}
				return
			}
			var damaged *DamagedError
			if !errors.As(r.err, &damaged) || !strings.HasPrefix(r.err.Error(), name+": says that it is undirected, but has an edge "+"without") || !strings.Contains(r.err.Error(), c.problem) {
				t.Errorf("got %v", r.err)
			}
		})
	}
}

// TestAppended: what follows a compressed stream and is none is an error.
func TestAppended(t *testing.T) {
	plain := []byte("1 2\n3 4\n")
	twice := slices.Concat(gzipped(t, plain), gzipped(t, plain))
	for name, packed := range map[string][]byte{"g.gz": gzipped(t, plain), "two.gz": twice, "g.zst": zstandard(t, plain)} {
		for _, garbage := range []string{"\n", "x\n", "\n\n\n\n", "some text that was appended to it", strings.Repeat("\x00", 512)} {
			r := readBytes(t, name, append(bytes.Clone(packed), garbage...), ReadOptions{})
			var damaged *DamagedError
			if !errors.As(r.err, &damaged) {
				t.Errorf("%s and %.9q: %v", name, garbage, r.err)
			}
		}
	}
	for cut := len(twice) - 1; cut > len(twice)/2; cut-- {
		if r := readBytes(t, "g.gz", twice[:cut], ReadOptions{}); !errors.Is(r.err, io.ErrUnexpectedEOF) {
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
			o := ReadOptions{Stdin: bytes.NewReader(packed), BlockBytes: 64, Threads: 2}
			switch c.schema.Format {
			case Text, MatrixMarket, DIMACS:
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
			if r.stats.Bytes != int64(len(packed)) {
				t.Fatalf("%s: %d bytes read of %d", c.file.name, r.stats.Bytes, len(packed))
			}
		}
	}
}

// textCase is a text, how it is read, and what should come of it. Edges are
// written "u v" or "u v w", one after the other, with · for a blank in a name.
type textCase struct {
	name   string
	file   testFile
	o      ReadOptions
	ids    IDKind
	edges  string
	warned string // part of a warning
	bad    int64
}

// TestReadTextForms reads the many ways in which edge lists are written.
func TestReadTextForms(t *testing.T) {
	for _, c := range []textCase{
		{name: "blanks", file: text("g.txt", "  1 \t 2\t\n\n \t\n3     4  \r\n"), ids: IDInt, edges: "1 2, 3 4"},
		{name: "commas", file: text("g.csv", "1,2\n3 , 4\n5,\t6\n"), ids: IDInt, edges: "1 2, 3 4, 5 6"},
		{name: "comments", file: text("g.txt", "# a\n% b\n1 2\n  # c\n3 4\n"), ids: IDInt, edges: "1 2, 3 4"},
		{name: "carriage return at the end", file: text("g.txt", "1 2\r\n3 4\r"), ids: IDInt, edges: "1 2, 3 4"},
		{name: "signs in integers asked for", file: text("g.txt", "+1 -2\n-0 3\n"), o: ReadOptions{IDs: IDsInt}, ids: IDInt, edges: "1 -2, 0 3"},
		{name: "longest integers", file: text("g.txt", "-9223372036854775808 9223372036854775807\n000000000000000000000000012 1\n"), o: ReadOptions{IDs: IDsInt},
			ids: IDInt, edges: "-9223372036854775808 9223372036854775807, 12 1"},
		{name: "leading zeros", file: text("g.txt", "1234 2\n01234 3\n"), ids: IDString, edges: "1234 2, 01234 3",
			warned: `g.txt:2: "01234" is not an integer of 64 bits as these are usually written`},
		{name: "minus zero", file: text("g.txt", "0 -0\n"), ids: IDString, edges: "0 -0", warned: `g.txt:1: "-0" is not an integer`},
		{name: "leading zeros among names", file: text("g.txt", "007 bond\n"), ids: IDString, edges: "007 bond"},
		{name: "leading zeros below a header", file: text("g.csv", "code,next\n007,008\n"), ids: IDString, edges: "007 008", warned: `g.csv:1: "code,next" was taken for a header line`},
		{name: "unsigned", file: text("g.txt", "18446744073709551615 9223372036854775808\n0 1\n"),
			ids: IDInt, edges: "-1 -9223372036854775808, 0 1"}, // the bits of the uint64
		{name: "names", file: text("g.txt", "alice bob\nbob 7\n"), ids: IDString, edges: "alice bob, bob 7"},
		{name: "names that are no UTF-8", file: text("g.txt", "\xff\xfe \x80\n"), ids: IDString, edges: "\xff\xfe \x80"},
		{name: "quoted names", file: text("g.csv", "\"a\",\"b\"\"c\"\n\"#x\" , y\"z\n"), ids: IDString, edges: "a b\"c, #x y\"z", warned: "may be a header line"},
		{name: "quoted integers", file: text("g.csv", "\"1\",\"2\"\n3,\"4\"\n"), ids: IDInt, edges: "1 2, 3 4"},
		{name: "names of control characters", file: text("g.txt", "\x01 \x02\n\x03 \x04\n\x05 \x7f\n"), o: ReadOptions{Format: Text},
			ids: IDString, edges: "\x01 \x02, \x03 \x04, \x05 \x7f"},
		{name: "a few names among integers", file: text("g.txt", strings.Repeat("1 2\n", 9)+"1 x\n"), ids: IDString,
			edges: strings.Repeat("1 2, ", 9) + "1 x", warned: `g.txt:10: "x" is not an integer of 64 bits`},
		{name: "integers of more than 64 bits", file: text("g.txt", "1 2\n2 18446744073709551616\n"), ids: IDString, edges: "1 2, 2 18446744073709551616",
			warned: `"18446744073709551616" is not an integer of 64 bits`},

		{name: "weights", file: text("g.txt", "1 2 0.25\n3 4 1e3\n5 6 7\n"), ids: IDInt, edges: "1 2 0.25, 3 4 1000, 5 6 7"},
		{name: "weights ignored", file: text("g.txt", "1 2 x\n3 4\n5 6 7 8\n7 8 \"\n"), o: ReadOptions{Weights: WeightsNo}, ids: IDInt, edges: "1 2, 3 4, 5 6, 7 8"},
		{name: "quotes behind the ids", file: text("g.csv", "1,2,\"a, \"\"b\"\"\"\n3,4,x \"y\n5,6,\"Undirected\", \"z\" z,\n\"7\",8,\"\",\"\"\r\n"), o: ReadOptions{Weights: WeightsNo}, ids: IDInt, edges: "1 2, 3 4, 5 6, 7 8"},
		{name: "quotes of text behind the ids", file: text("g.txt", "1 2 \"a\n3\t4\t{\"a\": 1, \"b\n5 , 6 \"b\n"), o: ReadOptions{Weights: WeightsNo}, ids: IDInt, edges: "1 2, 3 4, 5 6"},
		{name: "weights ignored by comma", file: text("g.csv", "1,2,\n3,4,x,y\n"), o: ReadOptions{Weights: WeightsNo}, ids: IDInt, edges: "1 2, 3 4"},
		{name: "weights of .wel ignored", file: text("g.wel", "1 2 3\n"), o: ReadOptions{Weights: WeightsNo}, ids: IDDense, edges: "1 2"},

		{name: "header of usual names", file: text("g.csv", "# c\nSource,Target\na,b\n"), ids: IDString, edges: "a b", warned: `g.csv:2: "Source,Target" was taken for a header line`},
		{name: "header with a weight", file: text("g.csv", "from\tto\tweight\r\n1\t2\t3\r\n"), ids: IDInt, edges: "1 2 3", warned: "header line"},
		{name: "header before integers", file: text("g.csv", "paper,cited\n1,2\n"), ids: IDInt, edges: "1 2", warned: "header line"},
		{name: "header alone", file: text("g.csv", "src,dst\n"), ids: IDInt, warned: "header line"},
		{name: "no header before names", file: text("g.csv", "paper,cited\n1,x\n"), ids: IDString, edges: "paper cited, 1 x",
			warned: `g.csv:1: "paper,cited" was taken for an edge, though it may be a header line; use --header`},
		{name: "no header, for its ids come again", file: text("g.csv", "ann,bob\nbob,eve\n"), ids: IDString, edges: "ann bob, bob eve"},
		{name: "no header in what is no table", file: text("g.txt", "paper cited\nx y\n"), ids: IDString, edges: "paper cited, x y"},
		{name: "no usual name of a weight", file: text("g.csv", "source,target,timestamp\n1,2,3\n"), o: table(0, HeaderYes), ids: IDInt, edges: "1 2 3", warned: `g.csv: column "timestamp" is taken as the weight; --weights no leaves it out`},
		{name: "header as said", file: text("g.csv", "paper,cited\nx,y\n"), o: table(0, HeaderYes), ids: IDString, edges: "x y"},
		{name: "no header as said", file: text("g.csv", "source,target\nx,y\n"), o: table(0, HeaderNo), ids: IDString, edges: "source target, x y"},
		{name: "no header of numbers", file: text("g.csv", "1.0,2.0\n1,3\n"), o: ReadOptions{IDs: IDsString}, ids: IDString, edges: "1.0 2.0, 1 3"},
		{name: "no header of empty cells", file: text("g.txt", "a,b,\nc,d,2\n"), o: table(',', HeaderAuto, "1", "2"), ids: IDString, edges: "a b, c d", warned: `"a,b," was taken for an edge, though it may be a header line`},
		{name: "no header with a number", file: text("g.csv", "a,b,1\n1,2,3\n"), ids: IDString, edges: "a b 1, 1 2 3"},

		{name: "names with blanks and commas", file: text("g.csv", "\"New York, NY\",Boston\nBoston,\"Los Angeles\"\n"), ids: IDString,
			edges: "New·York,·NY Boston, Boston Los·Angeles"},
		{name: "delimiter in the first line", file: text("g.csv", "sep=;\r\nsource;target\r\na, b;c\r\n"), ids: IDString, edges: "a,·b c",
			warned: `g.csv:2: "source;target" was taken for a header line`},
		{name: "another delimiter than in the first line", file: text("g.csv", "sep=,\n1;2\n"), o: table(';', HeaderAuto), ids: IDInt, edges: "1 2"},
		{name: "delimiter comma", file: text("g.csv", "New York , Boston\n Boston,\"New York\"\nBoston, \"a \"\"b\"\", c\" \n"), o: table(',', HeaderNo), ids: IDString,
			edges: "New·York Boston, Boston New·York, Boston a·\"b\",·c"},
		{name: "delimiter space", file: text("g.txt", "  a,b   c\td\ne f\n"), o: table(' ', HeaderNo), ids: IDString, edges: "a,b c\td, e f"},
		{name: "a semicolon in some name", file: text("g.csv", "a,b;c\nb;c,d\nd,e\n"), ids: IDString, edges: "a b;c, b;c d, d e"},
		{name: "semicolons in quotes", file: text("g.csv", "\"a;b\",c\n\"d;e\",c\n"), ids: IDString, edges: "a;b c, d;e c"},
		{name: "destinations of parts", file: text("g.csv", "ann,film|1\nbob,film|2\n"), o: table(0, HeaderNo), ids: IDString, edges: "ann film|1, bob film|2"},
		{name: "parts between tabs", file: text("g.txt", "sp|P1|X\tsp|P2|Y\nsp|P2|Y\tsp|P3|Z\n"), ids: IDString, edges: "sp|P1|X sp|P2|Y, sp|P2|Y sp|P3|Z"},
		{name: "parts between blanks", file: text("g.txt", "ann film|1\nbob film|2\n"), ids: IDString, edges: "ann film|1, bob film|2"},
		{name: "parts behind the ids", file: text("g.csv", "1,2,a;b\n2,3,c;d\n"), o: ReadOptions{Weights: WeightsNo}, ids: IDInt, edges: "1 2, 2 3"},
		{name: "comments behind edges", file: text("g.txt", "ann bob 1\n# a comment\n#comment\n#a comment\nbob eve 2\n"), ids: IDString, edges: "ann bob 1, bob eve 2"},
		{name: "the header of joined integers", file: text("g.csv", "from,to\n1,2\nfrom,to\n2,3\n"), o: ReadOptions{SkipBadLines: true}, ids: IDInt, edges: "1 2, 2 3", bad: 1, warned: `g.csv:3: "from": expected an integer`},
		{name: "delimiter and weights ignored", file: text("g.tsv", "1\t2\tx y\n3\t4\n"), o: ReadOptions{Weights: WeightsNo, Table: TableOptions{Delimiter: '\t'}}, ids: IDInt, edges: "1 2, 3 4"},

		{name: "commas by the name", file: text("g.csv", "# trips\nNew York,Paris,3\nParis, Rome (Lazio) ,2\n"), ids: IDString, edges: "New·York Paris 3, Paris Rome·(Lazio) 2"},
		{name: "tabs by the name", file: testFile{name: "G.TSV.gz", content: gzipped(t, []byte("New York\tParis, France\nParis, France\tOslo\n"))}, ids: IDString, edges: "New·York Paris,·France, Paris,·France Oslo"},
		{name: "numbers with blanks, in spite of the name", file: text("g.csv", "1 2,5\n2 3,7\n"), ids: IDInt, edges: "1 2 5, 2 3 7"},
		{name: "header with an empty cell", file: text("g.csv", "source,target,\n1,2,3\n2,3,4\n"), ids: IDInt, edges: "1 2 3, 2 3 4", warned: "header line"},
		{name: "header and cells that are empty", file: text("g.csv", "source,target,\n1,2,\n2,3,\n"), o: ReadOptions{Weights: WeightsNo}, ids: IDInt, edges: "1 2, 2 3", warned: "header line"},
		{name: "another delimiter than the name says", file: text("g.csv", "a, b;c d\nc d;e, f\n"), o: table(';', HeaderAuto), ids: IDString, edges: "a,·b c·d, c·d e,·f"},
		{name: "columns of names by name", file: text("g.csv", "payer,payee,amount,when\nAnna Bell,Carl Dow,12.5,2024\n"), o: table(0, HeaderAuto, "payer", "payee", "amount"), ids: IDString, edges: "Anna·Bell Carl·Dow 12.5"},
		{name: "columns without a delimiter", file: text("g.txt", "1 2 0.5 1082040961\n3 4 0.25 1082155839\n"), o: table(0, HeaderAuto, "2", "1", "3"), ids: IDInt, edges: "2 1 0.5, 4 3 0.25"},
		{name: "columns with spaces and tabs", file: text("g.txt", "1 2\t0.5 1082040961\n3 4\t0.25 1082155839\n"), o: table(0, HeaderAuto, "1", "2", "4"), ids: IDInt, edges: "1 2 1.082041e+09, 3 4 1.0821558e+09"},
		{name: "numbers as names with spaces and tabs", file: text("g.txt", "1 2\t0.5\nx y 0.25\n"), ids: IDString, edges: "1 2 0.5, x y 0.25"},
		{name: "columns by name", file: text("g.csv", "# trips\nid,Start Place,end place,km\n1,New York,Boston,346\n2,Boston,,9\n3,Boston,New York,346.5\n"),
			o:   ReadOptions{SkipBadLines: true, Table: TableOptions{Delimiter: ',', Columns: []string{"Start Place", "End Place", "km"}}},
			ids: IDString, edges: "New·York Boston 346, Boston New·York 346.5", bad: 1, warned: `g.csv:4: "": expected an id that is not empty`},
		{name: "columns past empty ones", file: text("g.tsv", "\t1\t\t2\n\t3\tx\t4\n"), o: table('\t', HeaderNo, "2", "4"), ids: IDInt, edges: "1 2, 3 4"},

		{name: "bad lines", file: text("g.txt", "1 2\nx 3\n4\n5 6 7\n7 8\n"), o: ReadOptions{SkipBadLines: true, IDs: IDsInt}, ids: IDInt, edges: "1 2, 7 8",
			bad: 3, warned: `3 bad lines were passed over; the first is `},
		{name: "bad line first", file: text("g.txt", "1\n1 2 5\n3 4 6\n"), o: ReadOptions{SkipBadLines: true}, ids: IDInt, edges: "1 2 5, 3 4 6", bad: 1, warned: "1 bad line"},

		{name: "whole numbers that are rounded", file: text("g.txt", "1 2 16777216\n3 4 16777217\n5 6 16777218\n7 8 20000001\n9 9 1.6777219e7\n9 8 16777217.5\n"), o: ReadOptions{Weights: WeightsFloat32}, ids: IDInt,
			edges: "1 2 1.6777216e+07, 3 4 1.6777216e+07, 5 6 1.6777218e+07, 7 8 2e+07, 9 9 1.677722e+07, 9 8 1.6777218e+07", warned: "3 weights were rounded to 24 bits, the largest to 20000000"},
		{name: "whole numbers next to ones of few bits", file: text("g.txt", "1 2 9007199254740993\n3 4 18014398509481985\n5 6 9007199254740992\n7 8 18014398509481985.0\n"), ids: IDInt,
			edges: "1 2 9.007199e+15, 3 4 1.8014399e+16, 5 6 9.007199e+15, 7 8 1.8014399e+16", warned: "3 weights were rounded to 24 bits, the largest to 18014398509481984"},
		{name: "vertices alone", file: text("x.v", "1\n2\n"), ids: IDInt, warned: "x.v has vertices only; name the .e file with the edges too"},
		{name: "only comments", file: text("g.txt", "# nothing\n"), ids: IDInt},
		{name: "empty", file: text("g.txt", ""), ids: IDInt, warned: "g.txt: the file is empty"},
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
			t.Fatalf("ids are %s, want %s", r.schema.IDs.name(), c.ids.name())
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
		o             ReadOptions
		schema        Schema
		edges         string
	}{
		{"rectangular", "%%MatrixMarket matrix coordinate real general" + body, ReadOptions{},
			Schema{Format: MatrixMarket, Base: 1, Vertices: 5, Edges: 2, Weighted: true}, "2 4 1, 0 1 2.5"},
		{"any case", "%%matrixmarket MATRIX Coordinate Integer GENERAL" + body, ReadOptions{},
			Schema{Format: MatrixMarket, Base: 1, Vertices: 5, Edges: 2, Weighted: true}, "2 4 1, 0 1 2.5"},
		{"weights ignored", "%%MatrixMarket matrix coordinate real general" + body, ReadOptions{Weights: WeightsNo},
			Schema{Format: MatrixMarket, Base: 1, Vertices: 5, Edges: 2}, "2 4, 0 1"},
		{"integers", "%%MatrixMarket matrix coordinate real general" + body, ReadOptions{IDs: IDsInt},
			Schema{Format: MatrixMarket, IDs: IDInt, Vertices: -1, Edges: 2, Weighted: true}, "3 5 1, 1 2 2.5"},
		{"strings", "%%MatrixMarket matrix coordinate real general" + body, ReadOptions{IDs: IDsString},
			Schema{Format: MatrixMarket, IDs: IDString, Vertices: -1, Edges: 2, Weighted: true}, "3 5 1, 1 2 2.5"},
		{"symmetric", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n", ReadOptions{},
			Schema{Format: MatrixMarket, Base: 1, Vertices: 3, Edges: 2, Mirrored: true}, "1 0, 2 2"},
		{"nothing", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", ReadOptions{},
			Schema{Format: MatrixMarket, Base: 1}, ""},
		{"largest", "%%MatrixMarket matrix coordinate pattern general\n4294967295 1 1\n4294967295 1\n", ReadOptions{},
			Schema{Format: MatrixMarket, Base: 1, Vertices: 4294967295, Edges: 1}, "4294967294 0"},
		{"long header", "%%MatrixMarket matrix coordinate pattern general\n" + strings.Repeat("% comment\n", 300_000) + "2 2 1\n1 2\n", ReadOptions{},
			Schema{Format: MatrixMarket, Base: 1, Vertices: 2, Edges: 1}, "0 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readFiles(t, c.o, text("g.mtx", c.content))
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

// TestRectangular: a matrix whose rows and columns may be of two kinds is warned of.
func TestRectangular(t *testing.T) {
	const banner = "%%MatrixMarket matrix coordinate real general\n"
	for size, warned := range map[string]int{"3 1 1\n3 1 0.25\n": 1, "2 2 1\n1 2 3\n": 0} {
		if r := readFiles(t, ReadOptions{}, text("g.mtx", banner+size)); r.err != nil || len(r.warns) != warned {
			t.Errorf("%q: %q, %v", size, r.warns, r.err)
		}
	}
}

// TestReadSeveral reads a graph from several files, compressed or not.
func TestReadSeveral(t *testing.T) {
	line := func(lines string) []byte { return []byte(lines) }
	r := readFiles(t, ReadOptions{BlockBytes: 16, Threads: 3},
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
	if r.stats.Inputs != 5 || len(r.warns) != 2 {
		t.Fatalf("%d inputs, warnings %q", r.stats.Inputs, r.warns)
	}
}

// TestReadSeveralHeaders joins what headers promise.
func TestReadSeveralHeaders(t *testing.T) {
	r := readFiles(t, ReadOptions{},
		testFile{name: "a.mtx", content: writeMatrixMarket(fourEdges[:2], 3, "pattern")},
		testFile{name: "b.mtx", content: writeMatrixMarket(fourEdges[2:], 4, "pattern")})
	if r.err != nil {
		t.Fatal(r.err)
	}
	want := Schema{Format: MatrixMarket, Base: 1, Vertices: 4, Edges: 5}
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
	r := readFiles(t, ReadOptions{}, testFile{name: "g.txt", content: both})
	if r.err != nil {
		t.Fatal(r.err)
	}
	if diff := cmp.Diff(fourSeen(false), r.sink.sorted()); diff != "" {
		t.Fatalf("edges (-want +got):\n%s", diff)
	}
}

// TestReadLDBC reads a vertex file with its edge file, found or named.
func TestReadLDBC(t *testing.T) {
	v, e := text("x.v", "-5\n0\n1\n2\n\n9000000000\n"), text("x.e", "0 1 7\n0 2 1\n1 2 2\n2 0 255\n2 2 0\n")
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
			r := readFiles(t, ReadOptions{BlockBytes: 16}, c.files...)
			if r.err != nil {
				t.Fatal(r.err)
			}
			want := Schema{Format: LDBC, IDs: IDInt, Vertices: -1, Edges: -1, Weighted: true}
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
	r := readFiles(t, ReadOptions{}, text("x.v", "a\nb\n\"c\"\n"), text("x.e", "a b\n"))
	if r.err != nil {
		t.Fatal(r.err)
	}
	slices.Sort(r.sink.vertices)
	if got := strings.Join(r.sink.vertices, " "); got != "a b c" || r.schema.IDs != IDString {
		t.Fatalf("vertices %s, ids %s", got, r.schema.IDs.name())
	}
}

// TestReadUnsigned reports to the sink's owner how to take the bits of ids.
func TestReadUnsigned(t *testing.T) {
	for content, want := range map[string]bool{"18446744073709551615 1\n": true, "-1 1\n": false, "1 2\n": false} {
		r := readFiles(t, ReadOptions{}, text("g.txt", content))
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
	got := readNames(t, ReadOptions{}, []string{fmt.Sprintf("/dev/fd/%d", r.Fd())})
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
	o := ReadOptions{BlockBytes: 4096, Progress: func(done, total int64) {
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
