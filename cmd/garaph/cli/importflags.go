package cli

import (
	"encoding/csv"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/store"
)

// importFlags holds the flags for reading edge lists, of `garaph import`,
// and of `garaph run` for edge files.
type importFlags struct {
	format, ids, weights, layout, order, parallel              *string
	undirected, dedup, dropSelfLoops, skipBadLines, allowEmpty *bool
	rows                                                       *bool
	vertices                                                   *int
	tableFlags
	names []string // of all of them
}

// tableFlags describe text in columns.
type tableFlags struct {
	delimiter        *byte
	header, noHeader *bool
	columns          *[]string
}

func newImportFlags(all *pflag.FlagSet) *importFlags {
	fs := newFlagSet()
	formats := append([]ingest.Format{ingest.Auto}, ingest.Formats()...)
	f := &importFlags{
		format: flags.Enum(fs, "format", ingest.Auto, formats, "format of the edge files"),
		ids: flags.Enum(fs, "ids", ingest.IDsAuto,
			[]ingest.IDMode{ingest.IDsAuto, ingest.IDsDense, ingest.IDsInt, ingest.IDsString}, "kind of vertex ids"),
		weights: flags.Enum(fs, "weights", ingest.WeightsAuto, ingest.WeightModes(),
			"whether edges have weights; auto and yes take float32, and whole numbers up to 2^53 exactly"),
		layout: flags.Enum(fs, "layout", store.Packed, []store.Layout{store.Packed, store.CSC},
			"how in-edges are stored: packed by source, or in rows by destination (csc)"),
		order: flags.Enum(fs, "order", store.ByInput, []store.Order{store.ByInput, store.ByDegree},
			"how vertices are stored: in the order of their ids, or those with more edges first; results are the same"),
		rows: fs.Bool("rows", false, "also store rows of in-edges, so that frontiers along them are read from disk"),
		tableFlags: tableFlags{
			delimiter: delimiterFlag(fs),
			header:    fs.Bool("header", false, "the first line of text is a header (default detected)"),
			noHeader:  fs.Bool("no-header", false, "the first line of text is an edge"),
			columns:   columnsFlag(fs),
		},
		vertices: flags.Count(fs, "vertices", 0, 0, "number of vertices of raw edges, with ids 0 to N-1 "+
			"(default: the ids in the edges)"),
		undirected: fs.Bool("undirected", false, "store both directions of every edge"),
		parallel: flags.Enum(fs, "parallel", garaph.ParallelKeep, ingest.Parallels(),
			"which of parallel edges to store: all (keep), or one with the least, the largest or the sum of "+
				"their weights, or their number"),
		dedup:         fs.Bool("dedup", false, "like --parallel min"),
		dropSelfLoops: fs.Bool("drop-self-loops", false, "leave out edges from a vertex to itself"),
		skipBadLines:  fs.Bool("skip-bad-lines", false, "count lines that cannot be read and skip them"),
	}
	f.allowEmpty = fs.Bool("allow-empty", false, "make a graph without vertices from empty input, instead of failing")
	fs.VisitAll(func(flag *pflag.Flag) { f.names = append(f.names, flag.Name) })
	all.AddFlagSet(fs)
	return f
}

// delimiterFlag declares --delimiter, a character or the name of one; 0 is none.
func delimiterFlag(fs *pflag.FlagSet) *byte {
	named := map[string]byte{"tab": '\t', `\t`: '\t', "space": ' ', "comma": ',', "semicolon": ';'}
	parse := func(s string) (byte, error) {
		if c, ok := named[s]; ok {
			return c, nil
		}
		if len(s) != 1 {
			return 0, errors.New("expected tab, space or one character, such as , or ;")
		}
		return s[0], nil
	}
	show := func(c byte) string { return strings.Trim(string(rune(c)), "\x00") }
	return flags.Checked(fs, "delimiter", "CHAR", 0, parse, show, "separator of columns in text: tab, space or "+
		"one character (default by the name and the first line of the file)")
}

// columnsFlag declares --columns, a list as a line of CSV.
func columnsFlag(fs *pflag.FlagSet) *[]string {
	parse := func(s string) ([]string, error) {
		return csv.NewReader(strings.NewReader(s)).Read()
	}
	show := func(columns []string) string { return strings.Join(columns, ",") }
	return flags.Checked(fs, "columns", "SRC,DST[,WEIGHT]", nil, parse, show, "columns to read, by name or "+
		"number from 1 (default those with usual names, or the first two or three)")
}

// table returns the options of text in columns.
func (f *tableFlags) table() ingest.TableOptions {
	o := ingest.TableOptions{Delimiter: *f.delimiter, Columns: *f.columns}
	switch {
	case *f.header:
		o.Header = ingest.HeaderYes
	case *f.noHeader:
		o.Header = ingest.HeaderNo
	}
	return o
}

// check refuses flags that do not go together.
func (f *importFlags) check() error {
	if *f.header && *f.noHeader {
		return Usagef("--header and --no-header exclude each other")
	}
	if *f.dedup && *f.parallel != string(garaph.ParallelKeep) {
		return Usagef("--dedup and --parallel exclude each other: --dedup is --parallel min")
	}
	t := f.table()
	if err := t.Check(ingest.WeightMode(*f.weights)); err != nil {
		return flags.Usage(err)
	}
	return nil
}

func (f *importFlags) options() garaph.ImportOptions {
	parallel := ingest.Parallel(*f.parallel)
	if *f.dedup {
		parallel = garaph.ParallelMin
	}
	return garaph.ImportOptions{
		Format: ingest.Format(*f.format), IDs: ingest.IDMode(*f.ids), Weights: ingest.WeightMode(*f.weights),
		Storage: ingest.StorageOptions{Layout: store.Layout(*f.layout), Rows: *f.rows, Order: store.Order(*f.order)},
		Table:   f.table(), Vertices: int64(*f.vertices),
		Edges:        garaph.EdgeOptions{Undirected: *f.undirected, Parallel: parallel, DropSelfLoops: *f.dropSelfLoops},
		SkipBadLines: *f.skipBadLines, AllowEmpty: *f.allowEmpty,
	}
}
