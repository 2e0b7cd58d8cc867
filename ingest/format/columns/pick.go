package columns

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/ingest/header"
	"github.com/garaph/garaph/ingest/read"
	cols "github.com/garaph/garaph/internal/columns"
)

// adviceChoose is the advice to choose columns.
const adviceChoose = "use --columns SRC,DST[,WEIGHT] to choose columns"

// pickedColumns are the columns of an edge: source, target and, if there is a third, weight.
type pickedColumns struct {
	at   []int // their places in the file
	list []cols.Column
}

// pickEdges finds the columns of edges in a file: those that the user chose, or those with usual
// names, or else the first ones.
func pickEdges(name string, list []cols.Column, o read.Options) (p pickedColumns, err error) {
	if chosen := o.Table.Columns; len(chosen) > 0 {
		p.at, err = namedColumns(list, chosen)
	} else {
		p.at, err = usualColumns(name, list, o)
	}
	for i := 0; i < len(p.at) && err == nil; i++ {
		c := list[p.at[i]]
		p.list = append(p.list, c)
		if err = c.Check(); err == nil && i == 2 && !c.IsNumber() {
			err = fmt.Errorf("column %q: strings are no weights", c.Name)
		}
	}
	if err != nil {
		return p, &read.InputError{File: name, Problem: err.Error(), Advice: adviceChoose}
	}
	return p, nil
}

// namedColumns returns the columns that a user chose.
func namedColumns(list []cols.Column, chosen []string) (at []int, err error) {
	names := namesOf(list)
	for _, name := range chosen {
		i := header.FindColumn(names, name)
		if n, err := strconv.Atoi(name); err == nil && n <= len(list) && !slices.Contains(names, name) {
			i = n - 1
		}
		switch {
		case i == header.SeveralColumns:
			return nil, fmt.Errorf("has several columns %q", name)
		case i < 0:
			return nil, fmt.Errorf("has no column %q, but %s", name, strings.Join(names[:min(len(names), 20)], ", "))
		case slices.Contains(at, i):
			return nil, fmt.Errorf("column %q is chosen twice", names[i])
		}
		at = append(at, i)
	}
	return at, nil
}

func namesOf(list []cols.Column) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// usualColumns returns the columns with usual names, or else the first two and perhaps the third.
func usualColumns(file string, list []cols.Column, o read.Options) ([]int, error) {
	names := namesOf(list)
	at := header.ColumnsOfEnds(names)
	if at == nil {
		if len(list) < 2 {
			return nil, fmt.Errorf("has %d columns, and no source and target", len(list))
		}
		if at = []int{0, 1}; len(list) > 2 {
			o.Warn(fmt.Sprintf("%s: the first two columns, %q and %q, are taken as source and target; %s",
				file, names[0], names[1], adviceChoose))
		}
	}
	if o.Weights == read.WeightsNo {
		return at, nil
	}
	weight := slices.IndexFunc(names, header.IsWeightName)
	if weight < 0 || slices.Contains(at, weight) {
		weight = -1
		if third := 3 - at[0] - at[1]; len(list) == 3 && list[third].IsNumber() {
			switch sure := o.Weights == read.WeightsYes || header.MayBeWeight(names[third]); {
			case sure:
				weight = third
			case third == 2: // not the ids of rows
				weight = third
				o.Warn(header.TakenAsWeight(file, names[third]))
			}
		}
	}
	switch {
	case weight >= 0:
		at = append(at, weight)
	case o.Weights == read.WeightsYes:
		return nil, fmt.Errorf("has no column of weights")
	}
	return at, nil
}

// takeIDs decides the kind of ids of a file with these columns.
func (p *pickedColumns) takeIDs(plan *read.Plan, o read.Options) {
	source, target := p.list[0], p.list[1]
	plan.TakeIDs(o.IDs)
	if o.IDs != read.IDsAuto || source.Kind != cols.Text && target.Kind != cols.Text {
		return
	}
	if source.Kind != target.Kind {
		o.Warn(fmt.Sprintf("%s: one of the columns %q and %q is text and the other numbers, so all ids are taken as text",
			plan.Name(), source.Name, target.Name))
	}
	plan.Schema.IDs = read.IDString
}
