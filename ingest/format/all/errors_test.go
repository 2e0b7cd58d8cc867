package all_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/ingest/read"
)

// isError reports whether an error is the wanted one, but for advice behind it.
func isError(err error, want string) bool {
	if err == nil {
		return false
	}
	text, _, _ := strings.Cut(err.Error(), "; ")
	return text == want
}

// TestSyntaxErrors has complaints about places in a text.
// The bad line stands behind good ones, so that small blocks are counted too.
func TestSyntaxErrors(t *testing.T) {
	good := strings.Repeat("1 2\n", 50)
	weighted := strings.Repeat("1 2 3\n", 50)
	mtx := "%%MatrixMarket matrix coordinate real general\n3 4 1\n"
	for _, c := range []struct {
		file testFile
		o    read.Options
		want string
	}{
		{textFile("g.txt", good+"x 3\n"), read.Options{IDs: read.IDsInt}, `g.txt:51: "x": expected an integer as source id`},
		{textFile("g.txt", strings.Repeat("1000000 2000000\n", 70_000)+"3 x\n1 y\n"), read.Options{},
			`g.txt:70001: "x": expected an integer as target id, for the ids so far were integers`},
		{textFile("g.txt", strings.Repeat("1000000 2000000\n", 70_000)+"3 007\n"), read.Options{},
			`g.txt:70001: "007": expected an integer as target id without plus sign and leading zeros, as the ids so far`},
		{textFile("g.txt", good+"1 18446744073709551616\n"), read.Options{IDs: read.IDsInt},
			`g.txt:51: "18446744073709551616": expected an integer of at most 64 bits as target id`},
		{textFile("g.txt", good+"1 -1\n"), read.Options{IDs: read.IDsDense},
			`g.txt:51: "-1": expected a target id from 0 to 4294967294`},
		{textFile("g.el", good+"4294967295 1\n"), read.Options{},
			`g.el:51: "4294967295": expected a source id from 0 to 4294967294`},
		{textFile("g.txt", good+"3\n"), read.Options{}, `g.txt:51: "3": expected two ids`},
		{textFile("g.txt", "1 2\n# c\n1 2 3\n"), read.Options{Weights: read.WeightsYes},
			`g.txt:1: "1 2": expected a weight behind the two ids`},
		{textFile("g.csv", "1,2,3,4\n2,3,4,5\n"), read.Options{},
			`g.csv:1: "1,2,3,4": expected two ids, or two ids and a weight, and nothing behind them`},
		{textFile("g.csv", "1.0,2.0\n1,3\n2,3\n"), read.Options{},
			`g.csv:1: "1.0": expected an integer without a point, or a name`},
		{textFile("g.txt", "1;2\n"), read.Options{}, `g.txt:1: "1;2": expected fields separated by spaces, tabs or commas`},
		{textFile("g.csv", "from,to\n1,2\nfrom,to\n2,3\n"), read.Options{},
			`g.csv:3: "from": expected an integer as source id, for the ids so far were integers`},
		{textFile("g.txt", "1:2\n"), read.Options{}, `g.txt:1: "1:2": expected two ids`},
		{textFile("g.txt", "a:b:c\n1:2:3\n"), table(0, read.HeaderAuto, "a", "b"),
			`g.txt:1: "a:b:c": expected one column "a" in the header`},
		{textFile("g.csv", "Basel;Bern;0,5\nBern;Brig;1,5\n"), read.Options{},
			`g.csv:1: "Basel;Bern;0,5": expected fields separated by spaces, tabs or commas`},
		{textFile("g.txt", "A\tB\t0,5\nB\tC\t1,5\n"), read.Options{},
			`g.txt:1: "A\tB\t0,5": expected spaces, tabs or commas between the fields, not several of these`},
		{textFile("g.txt", "id,hops,parent\na,0,\n"), table(0, read.HeaderAuto, "parent", "id"),
			`g.txt:2: "a,0,": expected at least 3 columns`},
		{textFile("g.txt", weighted+"3 4\n"), read.Options{}, `g.txt:51: "3 4": expected a weight behind the two ids`},
		{textFile("g.txt", weighted+"3 4 5 6\n"), read.Options{},
			`g.txt:51: "3 4 5 6": expected two ids and a weight, and nothing behind them`},
		{textFile("g.csv", "source,target,weight\na,b,1\nb,c,1a,b,2\n"), read.Options{},
			`g.csv:3: "b,c,1a,b,2": expected two ids and a weight, and nothing behind them`},
		{textFile("g.txt", "source  weight  target\n0  10  1 20\n"), read.Options{Weights: read.WeightsNo},
			`g.txt:1: "source  weight  target": expected source and destination as the first columns`},
		{textFile("g.txt", "\"from\" \"to\" \"kg\"\n\"1\" \"ann\" \"bob\" 3\n"), table(0, read.HeaderAuto, "from", "to"),
			`g.txt:1: "\"from\" \"to\" \"kg\"": expected 4 names, as the line behind it has fields, and not 3`},
		{textFile("g.csv", "from,to,note\nAnn,Bob,\"x, y\"\nAnn,Bob,x,\nsee, this,Ann,Bob\n"),
			table(0, read.HeaderAuto, "from", "to"),
			`g.csv:4: "see, this,Ann,Bob": expected 3 fields, as in the header, and not 4`},
		{textFile("g.el", good+"3 4 5\n"), read.Options{}, `g.el:51: "3 4 5": expected two ids and nothing behind them`},
		{textFile("g.csv", good+",3\n"), read.Options{}, `g.csv:51: ",3": expected something before the comma`},
		{textFile("g.txt", "a,b,\nc,d,2\n"), read.Options{}, `g.txt:1: "a,b,": expected something behind the last comma`},
		{textFile("g.txt", "a,b,\nc,d,2\n"), table(',', read.HeaderAuto), `g.txt:1: "": expected a number as weight`},
		{textFile("g.csv", "id,Source ID,Target ID\n7,a b,c\n"), read.Options{},
			`g.csv:1: "id,Source ID,Target ID": expected source and destination as the first columns`},
		{textFile("g.csv", good+"\"3,4\n"), read.Options{},
			`g.csv:51: "\"3,4": expected a closing quote, followed by a separator or the end of the line`},
		{textFile("g.csv", "payer,payee,remark\nAnn,Bob,\"two\nlines, see x\"\n"),
			table(0, read.HeaderAuto, "payer", "payee"),
			`g.csv:2: "Ann,Bob,\"two": expected a closing quote, followed by a separator or the end of the line`},
		{textFile("g.csv", good+"\"3\"4 5\n"), read.Options{},
			`g.csv:51: "\"3\"4 5": expected a separator behind the closing quote`},
		{textFile("g.csv", "a,b,c\n1,2,3\n"), table(0, read.HeaderAuto, "a", "d"),
			`g.csv:1: "a, b, c": expected one column "d" in the header`},
		{textFile("g.csv", "1,2\n3\n"), table(',', read.HeaderNo, "2", "1"), `g.csv:2: "3": expected at least 2 columns`},
		{textFile("g.csv", "a,\"\"\n"), read.Options{}, `g.csv:1: "": expected an id that is not empty`},
		{textFile("g.txt", "a "+strings.Repeat("b", 65536)+"\n"), read.Options{},
			`g.txt:1: "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…": expected an id of at most 65535 bytes, ` +
				`not of 65536`},
		{textFile("g.txt", weighted+"3 4 -0.5\n"), read.Options{},
			`g.txt:51: "-0.5": expected a weight that is not negative`},
		{textFile("g.txt", weighted+"3 4 NaN\n"), read.Options{},
			`g.txt:51: "NaN": expected a finite weight of at most 3.402823e+38`},
		{textFile("g.txt", weighted+"3 4 1e-50\n"), read.Options{},
			`g.txt:51: "1e-50": expected a weight of 0, or of at least 1.4e-45`},
		{textFile("g.txt", good+strings.Repeat("x", read.MaxLine)+"\n"), read.Options{IDs: read.IDsInt},
			`g.txt:51: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…": expected lines of at most 16 MiB`},
		{textFile("x.v", "1\n2 3\n"), read.Options{}, `x.v:2: "2 3": expected one vertex id and nothing behind it`},
		{textFile("g.mtx", mtx+"% c\n4 1 1\n"), read.Options{}, `g.mtx:4: "4": expected a row from 1 to 3`},
		{textFile("g.mtx", mtx+"1 0 1\n"), read.Options{}, `g.mtx:3: "0": expected a column from 1 to 4`},
		{textFile("g.mtx", mtx+"1 1 -1\n"), read.Options{}, `g.mtx:3: "-1": expected a weight that is not negative`},
		{textFile("g.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n"), read.Options{},
			`g.mtx:1: "complex": expected pattern or integer or unsigned-integer or real in the banner`},
		{textFile("g.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 1\n"), read.Options{},
			`g.mtx:1: "skew-symmetric": expected general or symmetric in the banner`},
		{textFile("g.mtx", "1 2\n"), read.Options{},
			`g.mtx:1: "1 2": expected a banner "%%MatrixMarket matrix coordinate …"`},
		{textFile("g.mtx", "%%MatrixMarket matrix coordinate real general\n% c\n"), read.Options{},
			`g.mtx:3: the end of the file: expected the numbers of rows, columns and entries`},
		{textFile("g.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n"), read.Options{},
			`g.mtx:2: "3 4": expected as many rows as columns in a symmetric matrix`},
		{textFile("g.gr", "p sp 3 1\nc x\na 4 1 1\n"), read.Options{}, `g.gr:3: "4": expected a vertex from 1 to 3`},
		{textFile("g.gr", "p sp 3 1\ne 1 1 1\n"), read.Options{},
			`g.gr:2: "e 1 1 1": expected an arc "a u v weight", or a comment "c …"`},
		{textFile("g.gr", "p sp 5000000000 1\n"), read.Options{},
			`g.gr:1: "5000000000": expected at most 4294967295 vertices`},
	} {
		for _, block := range []int{16, 100, 1 << 20} {
			if len(c.file.content) > 1<<16 {
				block = max(block, 1<<14) // or there are too many
			}
			c.o.BlockBytes, c.o.Threads = block, 3
			r := readBytes(t, c.file.name, c.file.content, c.o)
			var e *read.SyntaxError
			if !errors.As(r.err, &e) || !isError(r.err, c.want) {
				t.Errorf("blocks of %d:\n got %v\nwant %s", block, r.err, c.want)
				break
			}
		}
	}
}

// TestInputErrors has complaints about whole inputs.
func TestInputErrors(t *testing.T) {
	mtx := func(rest string) testFile {
		return textFile("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n% c\n2 2 2\n"+rest)
	}
	for _, c := range []struct {
		o     read.Options
		want  string
		files []testFile
	}{
		{read.Options{}, `g.txt: looks binary, but would be read as text`, []testFile{textFile("g.txt", "1 2\n\x00\n")}},
		{read.Options{Format: text.EL}, `g.sg: byte 0 is zero, which text in the format el never has`,
			[]testFile{{name: "g.sg", content: writeSG(fourEdges, 4, false, false)}}},
		{read.Options{}, `g.bz2: the bzip2 stream is truncated, or something was appended to it: it ends in the middle`,
			[]testFile{textFile("g.bz2", "BZh91AY&SY\x00\x01")}},
		{read.Options{Format: text.Text}, `g.txt: byte 4 is zero, which text in the format text never has`,
			[]testFile{textFile("g.txt", "PAR1\x00")}},
		{read.Options{},
			`g.mtx:3: the header promises 2 edges, but the file has 1: the file is truncated, or its header wrong`,
			[]testFile{mtx("1 1\n")}},
		{read.Options{}, `g.mtx:3: the header promises 2 edges, but the file has 3: the header is wrong, or something was ` +
			`appended to the file`, []testFile{mtx("1 1\n1 2\n2 2\n")}},
		{read.Options{SkipBadLines: true},
			`g.mtx:3: the header promises 2 edges, but the file has 0: the file is truncated, or its header wrong`,
			[]testFile{mtx("x\n")}},
		{read.Options{Weights: read.WeightsYes}, `g.mtx: is a pattern matrix and has no weights`, []testFile{mtx("")}},
		{read.Options{}, `g.bin: 9 bytes are no whole number of 8-byte edges: the file is truncated, or not in format raw`,
			[]testFile{textFile("g.bin", "123456789")}},
		{read.Options{},
			`g.wbin.gz: 16 bytes are no whole number of 12-byte edges: the file is truncated, or not in format raww`,
			[]testFile{{name: "g.wbin.gz", content: gzipped(t, make([]byte, 16))}}},
		{read.Options{IDs: read.IDsDense}, `g.bin: byte 8: "4294967295": expected dense ids up to 4294967294 in edge 1`,
			[]testFile{textFile("g.bin", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff")}},
		{read.Options{}, `g.wbin: byte 0: "NaN": expected a finite weight that is not negative in edge 0`,
			[]testFile{{name: "g.wbin", content: writeRaw([]edgeGiven{{1, 2, float32(math.NaN())}}, true)}}},
		{read.Options{IDs: read.IDsString}, `g.bin: is in format raw, whose ids are numbers and no strings`,
			[]testFile{textFile("g.bin", "12345678")}},
		{read.Options{Weights: read.WeightsYes}, `g.bin: is in format raw, which has no weights`,
			[]testFile{textFile("g.bin", "12345678")}},
		{read.Options{}, `b.mtx: differs from a.txt in the format: mtx here, text there`,
			[]testFile{textFile("a.txt", "1 2\n"), {name: "b.mtx", content: writeMatrixMarket(fourEdges, 4, "pattern")}}},
		{read.Options{}, `c.txt: differs from b.txt in the kind of ids: text here, integers there`,
			[]testFile{textFile("a.txt", "#\n"), textFile("b.txt", "1 2\n"), textFile("c.txt", "1 x\n")}},
		{read.Options{}, `c.txt: differs from a.txt in the weights: none here, weights there`,
			[]testFile{textFile("a.txt", "1 2 3\n"), textFile("b.txt", ""), textFile("c.txt", "1 2\n")}},
		{read.Options{}, `b.mtx: differs from a.mtx in the symmetry: symmetric here, general there`, []testFile{
			textFile("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"),
			textFile("b.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n")}},
	} {
		r := readFiles(t, c.o, c.files...)
		if !isError(r.err, c.want) {
			t.Errorf("\n got %v\nwant %s", r.err, c.want)
		}
		if r.sink.begun > 1 {
			t.Errorf("Begin called %d times", r.sink.begun)
		}
	}
}

// TestForeignFormats checks that texts that are no edge lists are refused, unless their format is named. Edge lists
// that look a little like them are read.
func TestForeignFormats(t *testing.T) {
	for content, foreign := range map[string]bool{
		"<?xml version=\"1.0\"?>\n<gexf>\n":                           true,
		"<!DOCTYPE html>\n<html>\n":                                   true,
		"# nodes\n\n{\"nodes\": [],\n":                                true,
		"graph {\n a -- b\n}\n":                                       true,
		"strict digraph \"my graph\"\n{\n a -> b\n}\n":                true,
		"graph [\n node [\n":                                          true,
		"*Vertices 3\n1 \"a\"\n":                                      true,
		"version https://git-lfs.github.com/spec/v1\noid sha256:4d\n": true,
		"1: 2 3\n2: 3\n3:\n":                                          true,
		"1 -> 2\n2 -> 3\n":                                            true,
		"1->2\n2->3\n":                                                true,

		"<http://a.org/x> <http://a.org/y>\n": false,
		"graph theory\ntheory sets\n":         false,
		"# links\n# Thu Nov 26\n0 1\n":        false,
		"a->b c\n":                            false,
		"fe80:: fe80::1\n":                    false,
		"10.0.0.1:80 10.0.0.2:80\n":           false,
	} {
		if r := readFiles(t, read.Options{}, textFile("g.txt", content)); (r.err != nil) != foreign {
			t.Errorf("%q: %v", content, r.err)
		}
		named := read.Options{Format: text.Text, SkipBadLines: true}
		if r := readFiles(t, named, textFile("g.txt", content)); r.err != nil {
			t.Errorf("%q with a format: %v", content, r.err)
		}
	}
	var bad *read.SyntaxError
	r := readFiles(t, read.Options{}, textFile("g.txt", "# nodes\n\n{\"nodes\": [],\n"))
	if !errors.As(r.err, &bad) || bad.Line != 3 {
		t.Errorf("%v, expected a complaint about line 3", r.err)
	}
}

// TestOpenErrors has what can be wrong with the names.
func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	locked := dir + "/locked"
	if err := os.WriteFile(locked, nil, 0); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for _, c := range []struct {
		names []string
		o     read.Options
		want  string
	}{
		{nil, read.Options{}, "no input: name at least one file, or - for standard input"},
		{[]string{empty}, read.Options{},
			empty + ": is a folder without a file of edges; those whose names begin with a dot or an underline do not count"},
		{[]string{dir + "/none"}, read.Options{}, dir + "/none: there is no such file; check the path"},
		{[]string{locked + "/x"}, read.Options{}, locked + "/x: cannot be opened: not a directory"},
		{[]string{"-"}, read.Options{}, "standard input: is not available"},
		{[]string{"-", locked}, read.Options{Stdin: strings.NewReader("")},
			"standard input: cannot be read together with files; name it alone"},
		{[]string{locked}, read.Options{Format: "xls"},
			`unknown format "xls": expected auto, ` + format.WordList(format.Names()) + ``},
		{[]string{locked}, table('"', ""),
			`delimiter '"': expected a character of ASCII that is no quote, line end or control`},
		{[]string{locked}, table(0, "", "1"),
			`1 columns: expected those of source and destination, and perhaps of the weight`},
		{[]string{locked}, table(0, read.HeaderNo, "1", "to"),
			`column "to" is a name, but the input has no header: give its number`},
		{[]string{locked}, read.Options{Table: read.TableOptions{Columns: []string{"1", "2"}}, Weights: read.WeightsYes},
			`columns 1, 2 have no weight, but weights are required: name the column of the weight as the third`},
		{[]string{locked}, read.Options{Table: read.TableOptions{Delimiter: ','}, Format: "sg"},
			`the input: is in format sg, which has no delimiter, header or columns to choose; leave these options out`},
	} {
		r := readNames(t, c.o, c.names)
		if r.err == nil || r.err.Error() != c.want {
			t.Errorf("\n got %v\nwant %s", r.err, c.want)
		}
	}
	if os.Getuid() != 0 {
		if r := readNames(t, read.Options{}, []string{locked}); r.err == nil ||
			r.err.Error() != locked+": cannot be opened: permission denied" {
			t.Errorf("got %v", r.err)
		}
	}
}

// TestSGErrors spoils a serialized graph byte by byte of its meaning.
func TestSGErrors(t *testing.T) {
	spoil := func(at int, value uint64) []byte {
		b := writeSG(fourEdges, 4, true, true)
		if at == 0 {
			b[0] = byte(value)
		} else {
			binary.LittleEndian.PutUint64(b[at:], value)
		}
		return b
	}
	good := writeSG(fourEdges, 4, true, true)
	minus := func(x int64) uint64 { return uint64(x) }
	offsets, neighbours := 17, 17+8*5
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{good[:16], `g.wsg: is truncated: it ends within its header of 17 bytes`},
		{good[:176],
			`g.wsg: has 176 bytes, but with 4 vertices and 5 edges it would have 177: it is truncated, or not in format wsg`},
		{append(good[:177:177], 0),
			`g.wsg: has 178 bytes, but with 4 vertices and 5 edges it would have 177: it is truncated, or not in format wsg`},
		{spoil(0, 2), `g.wsg: byte 0: "2": expected 0 for undirected or 1 for directed`},
		{spoil(1, minus(-1)), `g.wsg: byte 1: "-1": expected a number of edges`},
		{spoil(9, 1<<40), `g.wsg: byte 9: "1099511627776": expected a number of vertices up to 2147483648`},
		{spoil(offsets, 1), `g.wsg: byte 17: "1": expected an offset from 0 to 0, with at most 2^32-1 edges at a vertex`},
		{spoil(offsets+16, 1), `g.wsg: byte 33: "1": expected an offset from 2 to 5, with at most 2^32-1 edges at a vertex`},
		{spoil(offsets+32, 5-0), ``},
		{spoil(neighbours+8, 1<<32|4), `g.wsg: byte 65: "4": expected a neighbour of vertex 0 from 0 to 3`},
		{spoil(neighbours+32, 1<<63|2), `g.wsg: byte 93: "-2147483648": expected a weight of edge 2 → 2 that is not ` +
			`negative; use --weights no to pass over what follows the ids`},
	} {
		for _, block := range []int{16, 1 << 20} {
			r := readFiles(t, read.Options{BlockBytes: block}, testFile{name: "g.wsg", content: c.b})
			if got := fmt.Sprint(r.err); got != c.want && !(c.want == "" && r.err == nil) {
				t.Errorf("\n got %v\nwant %s", r.err, c.want)
			}
		}
	}
}

// TestSGLies returns headers that promise what does not come, in a stream whose
// size is not known when the header is read: no memory is taken on their word.
func TestSGLies(t *testing.T) {
	const n = 200_000 // the offsets alone are more than what is read beforehand
	good := writeSG(fourEdges, n, false, true)
	half := 17 + 8*(n+1) + 4*5
	spoil := func(at int, value uint64) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint64(b[at:], value)
		return b
	}
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{good, ``},
		{spoil(9, 1<<31)[:half-20], `g.sg.gz: is truncated: it ends before the 34359738441 bytes that its header promises`},
		{spoil(1, 1<<40), `g.sg.gz: byte 1600017: "5": expected an offset from 1099511627776 to 1099511627776, with at ` +
			`most 2^32-1 edges at a vertex`},
		{good[:half-1], `g.sg.gz: is truncated: it ends before the 3200073 bytes that its header promises`},
		{good[:half], `g.sg.gz: is truncated: it ends before the 3200073 bytes that its header promises`},
		{good[:len(good)-1], `g.sg.gz: is truncated: it ends before the 3200073 bytes that its header promises`},
		{append(bytes.Clone(good), 0), `g.sg.gz: goes on behind the 3200073 bytes that its header promises`},
		{spoil(9, n-1), `g.sg.gz: goes on behind the 3200057 bytes that its header promises`},
	} {
		r := streamOf(t, "g.sg.gz", gzipped(t, c.b))
		if got := fmt.Sprint(r.err); got != c.want && !(c.want == "" && r.err == nil) {
			t.Errorf("\n got %v\nwant %s", r.err, c.want)
		}
	}
}

// TestFirstErrorInOrder has bad lines all over several files: the first one is
// reported, whatever the goroutines do.
func TestFirstErrorInOrder(t *testing.T) {
	var a, b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&a, "%d 1\n", i)
		switch {
		case i == 0 || i > 1700 && i%7 == 0:
			fmt.Fprintf(&b, "# comment\nbad%d 1\n", i)
		default:
			fmt.Fprintf(&b, "%d -1\n", i)
		}
	}
	files := []testFile{textFile("a.txt", a.String()),
		textFile("b.txt", "# one\n# two\n0 1\n"+strings.Replace(b.String(), "bad0 1", "0 1", 1))}
	line := 1 + strings.Count(strings.Split(string(files[1].content), "bad")[0], "\n")
	want := fmt.Sprintf(`b.txt:%d: "bad1701": expected an integer as source id`, line)
	for i := range 50 {
		r := readFiles(t, read.Options{BlockBytes: 16 + i*5, Threads: 1 + i%8, IDs: read.IDsInt}, files...)
		if !isError(r.err, want) {
			t.Fatalf("\n got %v\nwant %s", r.err, want)
		}
	}
}

// TestSigns checks that ids of which some are negative, and some above the range of int64, are refused.
func TestSigns(t *testing.T) {
	for _, lines := range []string{"-5 1\n1 -6\n9 18446744073709551615\n", "9223372036854775808 -1\n"} {
		const want = "g.txt: has ids of no one range: some are negative, and some above 9223372036854775807"
		if r := readBytes(t, "g.txt", []byte(lines), read.Options{}); r.err == nil || !isError(r.err, want) {
			t.Errorf("%q: got %v", lines, r.err)
		}
	}
}
