package ingest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/internal/columnar"
)

// Files of columns (Parquet, Arrow) say what their columns are called and of which type,
// so that source, target and weight are found by name.

// hasColumns reports whether files of a format have columns with names and types.
func (f Format) hasColumns() bool { return f == Parquet || f == Arrow }

// weightNames are the usual names of a column of weights, less case, blanks and
// punctuation.
var weightNames = []string{"weight", "weights", "w", "wt", "edgeweight", "cost", "distance", "dist", "length", "capacity"}

// otherWeightNames are not looked for, but a third column of such a name is hardly anything else.
var otherWeightNames = []string{"value", "val", "amount", "count", "km", "score", "similarity", "strength"}

// isWeightName reports whether a column of that name is looked for as weights.
func isWeightName(name string) bool { return slices.Contains(weightNames, plainName(name)) }

// mayBeWeight reports whether a third column of that name is a weight beyond doubt.
func mayBeWeight(name string) bool {
	return isWeightName(name) || slices.Contains(otherWeightNames, plainName(name))
}

// takenAsWeight is the warning about a third column that is a weight by its place alone.
func takenAsWeight(file, column string) string {
	return fmt.Sprintf("%s: column %q is taken as the weight; --weights no leaves it out", file, column)
}

// pickedColumns are the columns of an edge: source, target and, if there is a third, weight.
type pickedColumns struct {
	at    []int // their places in the file
	kinds []columnar.Kind
	names []string
	exact []float64 // of floats: up to here, no two integers are one
}

// pickEdges finds the columns of edges in a file.
func pickEdges(name string, list []columnar.Column, o ReadOptions) (pickedColumns, error) {
	var at []int
	var err error
	if len(o.Table.Columns) > 0 {
		at, err = namedColumns(name, list, o.Table.Columns)
	} else {
		at, err = usualColumns(name, list, o)
	}
	if err != nil {
		return pickedColumns{}, err
	}
	p := pickedColumns{at: at}
	for i, c := range at {
		if problem := unfit(list[c], i == 2); problem != "" {
			return p, &InputError{File: name, Problem: problem, Advice: choose(list)}
		}
		p.kinds, p.names = append(p.kinds, list[c].Kind), append(p.names, list[c].Name)
		p.exact = append(p.exact, exactIntegers(list[c]))
	}
	return p, nil
}

// exactIntegers is the largest integer of a column of floats that no other integer is rounded to.
func exactIntegers(c columnar.Column) float64 {
	if c.Type == "float" {
		return 1<<24 - 1
	}
	return 1<<53 - 1
}

// namedColumns are the columns that a user chose.
func namedColumns(file string, list []columnar.Column, chosen []string) ([]int, error) {
	var at []int
	names := namesOf(list)
	for _, name := range chosen {
		i := findColumn(names, name)
		if n, err := strconv.Atoi(name); err == nil && n <= len(list) && !slices.Contains(names, name) {
			i = n - 1
		}
		switch {
		case i == severalColumns:
			return nil, &InputError{File: file, Problem: fmt.Sprintf("has several columns %q", name), Advice: "give the number of one; " + choose(list)}
		case i < 0:
			return nil, &InputError{File: file, Problem: fmt.Sprintf("has no column %q", name), Advice: choose(list)}
		}
		at = append(at, i)
	}
	if problem := sameColumn(at, chosen); problem != "" {
		return nil, &InputError{File: file, Problem: problem, Advice: adviceOther}
	}
	return at, nil
}

func namesOf(list []columnar.Column) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// usualColumns are those with usual names, or else the first ones.
func usualColumns(file string, list []columnar.Column, o ReadOptions) ([]int, error) {
	ends, err := usualEnds(file, list)
	if err != nil {
		return nil, err
	}
	first := ends == nil
	if first {
		if len(list) < 2 || unfit(list[0], false) != "" || unfit(list[1], false) != "" {
			return nil, &InputError{File: file, Problem: "has no columns that are source and target by their names, and its first two are no ids", Advice: choose(list)}
		}
		ends = []int{0, 1}
	}
	at := ends
	if o.Weights != WeightsNo {
		weight, err := usualWeight(file, list, ends, o)
		switch {
		case err != nil:
			return nil, err
		case weight >= 0:
			at = append(at, weight)
		case o.Weights == WeightsYes:
			return nil, &InputError{File: file, Problem: "has no column that is a weight by its name", Advice: choose(list)}
		}
	}
	if first && len(list) > 2 {
		o.Warn(firstTaken(file, list, at))
	}
	return at, nil
}

// usualEnds are the columns of source and target by their names, of those that can be ids; nil where these do not tell.
func usualEnds(file string, list []columnar.Column) ([]int, error) {
	var fit []string
	var places []int // of those that fit
	names, problem := namesOf(list), ""
	for i, c := range list {
		if unfit(c, false) == "" {
			fit, places = append(fit, c.Name), append(places, i)
		}
	}
	if at := columnsOfEnds(fit); at != nil {
		return []int{places[at[0]], places[at[1]]}, nil
	}
	for kind := range 2 {
		usual := func(name string) bool { return isUsual(name, kind) }
		if i := slices.IndexFunc(names, usual); i >= 0 && !slices.ContainsFunc(fit, usual) {
			problem = cmp.Or(problem, unfit(list[i], false))
		}
	}
	for _, i := range columnsOfEnds(names) {
		problem = cmp.Or(problem, unfit(list[i], false))
	}
	if problem != "" {
		return nil, &InputError{File: file, Problem: problem, Advice: choose(list)}
	}
	return nil, nil
}

// firstTaken is the warning about source and target by their places alone. It says what is not read.
func firstTaken(file string, list []columnar.Column, at []int) string {
	var others []columnar.Column
	for i, c := range list {
		if !slices.Contains(at, i) {
			others = append(others, c)
		}
	}
	left := ""
	if len(others) > 0 {
		left = ", and " + listed(others) + " left out"
	}
	return fmt.Sprintf("%s: the first two columns, %q and %q, were taken for source and target%s; %s", file, list[0].Name, list[1].Name, left, choose(list))
}

// usualWeight is the column of weights: one of a usual name, or else the third one, behind the others
// or of a name that may be one's; -1 if there is none.
func usualWeight(file string, list []columnar.Column, ends []int, o ReadOptions) (int, error) {
	problem := ""
	for i, c := range list {
		if slices.Contains(ends, i) || !isWeightName(c.Name) {
			continue
		}
		if p := unfit(c, true); p == "" {
			return i, nil
		} else if problem == "" {
			problem = p
		}
	}
	if problem != "" {
		return -1, &InputError{File: file, Problem: problem, Advice: choose(list) + ", or --weights no to leave it out"}
	}
	if len(list) != 3 {
		for i, c := range list {
			if o.Weights == WeightsAuto && mayBeWeight(c.Name) && unfit(c, true) == "" && !slices.Contains(ends, i) {
				o.Warn(fmt.Sprintf("%s: column %q is left out, for it may be no weight; use %s to take it, or --weights no", file, c.Name, strings.TrimPrefix(columnFlags(namesOf(list), append(slices.Clone(ends), i)...), "--header ")))
				break
			}
		}
		return -1, nil
	}
	third := 3 - ends[0] - ends[1]
	if unfit(list[third], true) != "" || third < 2 && o.Weights == WeightsAuto && !mayBeWeight(list[third].Name) { // as the ids of rows
		return -1, nil
	}
	if o.Weights == WeightsAuto && !mayBeWeight(list[third].Name) {
		o.Warn(takenAsWeight(file, list[third].Name))
	}
	return third, nil
}

// unfit is why a column cannot be ids, or weights; "" if it can.
func unfit(c columnar.Column, weight bool) string {
	switch {
	case c.Kind == columnar.None:
		return fmt.Sprintf("has %s in column %q, of which garaph makes neither ids nor weights: they are integers, floats, or ids that are strings", c.Type, c.Name)
	case weight && c.Kind == columnar.Text:
		return fmt.Sprintf("has %s in column %q, which is no weight", c.Type, c.Name)
	}
	return ""
}

// choose is the advice to name columns, of those that can be ids.
func choose(list []columnar.Column) string {
	fit := slices.DeleteFunc(slices.Clone(list), func(c columnar.Column) bool { return unfit(c, false) != "" })
	if len(fit) < 2 {
		return "write source and target as columns of integers or strings; it has " + listed(list)
	}
	return "use --columns SRC,DST[,WEIGHT] to choose among " + listed(fit)
}

// listed are the names and types of columns, the first ones of many.
func listed(list []columnar.Column) string {
	const most = 20
	var all []string
	for i, c := range list {
		if i == most {
			all = append(all, fmt.Sprintf("and %d more", len(list)-most))
			break
		}
		all = append(all, shown([]byte(c.Name))+" ("+c.Type+")")
	}
	return strings.Join(all, ", ")
}

// idKind is the kind of ids of a file with these columns.
func (p *pickedColumns) idKind(file string, o ReadOptions) IDKind {
	texts := 0
	for _, k := range p.kinds[:2] {
		if k == columnar.Text {
			texts++
		}
	}
	if texts == 1 && o.IDs == IDsAuto {
		o.Warn(fmt.Sprintf("%s: one of the columns %q and %q is text and the other numbers, so all ids are taken as text", file, p.names[0], p.names[1]))
	}
	if o.IDs == IDsAuto && texts > 0 {
		return IDString
	}
	return defaultIDs(Parquet, o.IDs)
}
