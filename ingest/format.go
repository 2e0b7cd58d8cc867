package ingest

import (
	"fmt"
	"slices"
	"strings"
)

// Format is an edge-list format. The layouts are described in docs/formats.md.
type Format string

// The formats. Text covers SNAP, TSV and CSV: an edge per line, separated by
// spaces, tabs or commas.
const (
	Auto         Format = "auto"
	Text         Format = "text"
	MatrixMarket Format = "mtx"
	DIMACS       Format = "dimacs"
	EL           Format = "el"
	WEL          Format = "wel"
	SG           Format = "sg"
	WSG          Format = "wsg"
	LDBC         Format = "ldbc"
	METIS        Format = "metis"
	Ligra        Format = "ligra" // adjacency graphs, also weighted ones
	GraphML      Format = "graphml"
	Raw          Format = "raw"  // pairs of little-endian uint32
	RawW         Format = "raww" // the same, each followed by a float32 weight
	Parquet      Format = "parquet"
	Arrow        Format = "arrow" // IPC, files (Feather) and streams

	inMemory Format = "memory" // none that a file has: see [ImportEdges]
)

// Formats lists every format that can be asked for by name, [Auto] excepted.
func Formats() []Format {
	return []Format{Text, MatrixMarket, DIMACS, EL, WEL, SG, WSG, LDBC, METIS, Ligra, GraphML, Raw, RawW, Parquet, Arrow}
}

// IDMode says how the ids of an input are to be taken.
type IDMode string

// The modes. With IDsAuto the format decides, and for text formats that leave
// it open the first mebibyte of the input.
const (
	IDsAuto   IDMode = "auto"
	IDsDense  IDMode = "dense"  // ids are dense ids already, plus the base of the format
	IDsInt    IDMode = "int"    // any 64-bit integers
	IDsString IDMode = "string" // any text without separators
)

// WeightMode says what becomes of a column of weights.
type WeightMode string

// The modes. With WeightsAuto an input is weighted when its format says so, or,
// in text, when a third column of numbers is there; so it is with WeightsFloat32 and
// WeightsFloat64. Weights are rounded to float32, but for whole numbers up to 2^53, which are
// exact, or, with WeightsFloat32, for none. With WeightsFloat64, none are.
const (
	WeightsAuto WeightMode = "auto"
	WeightsYes  WeightMode = "yes" // required
	WeightsNo   WeightMode = "no"  // what follows the two ids is passed over

	WeightsFloat32 WeightMode = "float32"
	WeightsFloat64 WeightMode = "float64"
)

// WeightModes returns all of them.
func WeightModes() []WeightMode {
	return []WeightMode{WeightsAuto, WeightsYes, WeightsNo, WeightsFloat32, WeightsFloat64}
}

// check refuses names that are no format, or no mode.
func (o ReadOptions) check() error {
	if o.Format != Auto && !slices.Contains(Formats(), o.Format) {
		return fmt.Errorf("unknown format %q: expected auto, %s", string(o.Format), formatList())
	}
	if !slices.Contains([]IDMode{IDsAuto, IDsDense, IDsInt, IDsString}, o.IDs) {
		return fmt.Errorf("unknown way to take ids %q: expected auto, dense, int or string", string(o.IDs))
	}
	if !slices.Contains(WeightModes(), o.Weights) {
		return fmt.Errorf("unknown way to take weights %q: expected auto, yes, no, float32 or float64", string(o.Weights))
	}
	if o.Format != Auto {
		if err := o.Table.fit("the input", o.Format); err != nil {
			return err
		}
	}
	return o.Table.Check(o.Weights)
}

// formatList is the formats' names as they stand in advice to a user.
func formatList() string {
	names := make([]string, 0, len(Formats()))
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
