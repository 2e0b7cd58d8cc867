// Package flags declares command-line flags whose values are checked when they are parsed.
package flags

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Value is a flag that one function parses and checks.
type Value[T any] struct {
	to    *T
	kind  string // name of the value in the help
	parse func(string) (T, error)
	show  func(T) string
	text  string
}

func (v *Value[T]) String() string { return v.show(*v.to) }

// Type returns the name of the value in the help.
func (v *Value[T]) Type() string { return v.kind }

// Given returns the text that was parsed.
func (v *Value[T]) Given() string { return v.text }

// Get returns the value.
func (v *Value[T]) Get() T { return *v.to }

// Set parses s.
func (v *Value[T]) Set(s string) error {
	x, err := v.parse(s)
	if err == nil {
		*v.to, v.text = x, s
	}
	return err
}

// Checked declares a flag. Its value is called kind in the help.
func Checked[T any](
	fs *pflag.FlagSet, name, kind string, value T, parse func(string) (T, error), show func(T) string, usage string,
) *T {
	fs.Var(&Value[T]{to: &value, kind: kind, parse: parse, show: show}, name, usage)
	return &value
}

// Text declares a flag whose text is checked and kept as it is.
func Text(fs *pflag.FlagSet, name, kind string, check func(string) error, usage string) *string {
	parse := func(s string) (string, error) { return s, check(s) }
	return Checked(fs, name, kind, "", parse, func(s string) string { return s }, usage)
}

// words is a flag that takes one of a few words.
type words struct {
	Value[string]
	words []string
}

// WordsOf returns the words that a flag of Enum takes, or nil.
func WordsOf(f *pflag.Flag) []string {
	if w, ok := f.Value.(*words); ok {
		return w.words
	}
	return nil
}

// Enum declares a flag that takes one of a few words.
func Enum[T ~string](fs *pflag.FlagSet, name string, value T, all []T, usage string) *string {
	list, text := Words(all...), string(value)
	parse := func(s string) (string, error) {
		if !slices.Contains(list, s) {
			return "", fmt.Errorf("expected one of %s", strings.Join(list, ", "))
		}
		return s, nil
	}
	show := func(s string) string { return s }
	kind := strings.Join(list, "|")
	if len(kind) > 40 {
		kind, usage = "NAME", usage+": "+strings.Join(list, ", ")
	}
	fs.Var(&words{Value[string]{to: &text, kind: kind, parse: parse, show: show}, list}, name, usage)
	return &text
}

// Words returns values as strings.
func Words[T ~string](values ...T) []string {
	list := make([]string, 0, len(values))
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}

// List declares a flag that takes some of a few words, separated by commas.
func List(fs *pflag.FlagSet, name string, all []string, usage string) *[]string {
	parse := func(s string) ([]string, error) {
		list := strings.Split(s, ",")
		for _, word := range list {
			if !slices.Contains(all, word) {
				return nil, fmt.Errorf("%q: expected some of %s", word, strings.Join(all, ", "))
			}
		}
		return list, nil
	}
	show := func(list []string) string { return strings.Join(list, ",") }
	return Checked(fs, name, "LIST", all, parse, show, usage)
}

// Count declares a flag that takes a whole number, least or more.
func Count(fs *pflag.FlagSet, name string, value, least int, usage string) *int {
	return Range(fs, name, value, least, math.MaxInt, usage)
}

// Range declares a flag that takes a whole number from least to most.
func Range(fs *pflag.FlagSet, name string, value, least, most int, usage string) *int {
	parse := func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("expected a whole number from %d to %d", least, most)
		}
		return n, nil
	}
	return Checked(fs, name, "N", value, parse, strconv.Itoa, usage)
}

// Number declares a flag that takes a number x with 0 ≤ x < below. If below is 0, there is no upper limit.
func Number(fs *pflag.FlagSet, name string, value, below float64, usage string) *float64 {
	if below == 0 {
		below = math.Inf(1)
	}
	parse := func(s string) (float64, error) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= 0 && x < below) {
			return 0, fmt.Errorf("expected a number, at least 0 and below %v", below)
		}
		return x, nil
	}
	show := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return Checked(fs, name, "X", value, parse, show, usage)
}

// Positive declares a flag that takes a number x with 0 < x < ∞.
func Positive(fs *pflag.FlagSet, name string, value float64, usage string) *float64 {
	return Checked(fs, name, "X", value, func(s string) (float64, error) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x > 0) || math.IsInf(x, 1) {
			return 0, errors.New("expected a number above 0")
		}
		return x, nil
	}, func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }, usage)
}

// Duration declares a flag that takes a duration in Go's units and in days, such as 90m, 30d or 1d12h.
func Duration(fs *pflag.FlagSet, name, usage string) *time.Duration {
	parse := func(s string) (time.Duration, error) {
		days, rest, inDays := strings.Cut(s, "d")
		if !inDays {
			days, rest = "0", s
		} else if rest == "" {
			rest = "0s"
		}
		n, err := strconv.ParseUint(days, 10, 16)
		d, restErr := time.ParseDuration(rest)
		if err != nil || restErr != nil || d < 0 {
			return 0, errors.New("expected a time such as 90s, 2h or 30d")
		}
		return time.Duration(n)*24*time.Hour + d, nil
	}
	show := func(d time.Duration) string { return strings.Replace(d.String(), "0s", "0", 1) }
	return Checked(fs, name, "TIME", 0, parse, show, usage)
}

// Size declares a flag that takes a number of bytes, such as 512MiB, 2GiB or 1.5G.
func Size(fs *pflag.FlagSet, name, usage string) *int64 {
	show := func(n int64) string {
		if n == 0 {
			return "" // the usage names the default
		}
		return humanize.IBytes(uint64(n))
	}
	return Checked(fs, name, "SIZE", 0, ParseSize, show, usage)
}

// ParseSize parses a number of bytes.
func ParseSize(s string) (int64, error) {
	n, err := humanize.ParseBytes(s)
	if err != nil || n > math.MaxInt64 {
		return 0, errors.New("expected a number of bytes such as 512MiB, 2GiB or 1.5G")
	}
	return int64(n), nil
}

// Require marks flags that must be given.
func Require(fs *pflag.FlagSet, names ...string) {
	for _, name := range names {
		if err := cobra.MarkFlagRequired(fs, name); err != nil {
			panic(err) // there is no such flag
		}
	}
}

// Given returns the flags among names that are set, as in --a, --b.
func Given(fs *pflag.FlagSet, names ...string) string {
	var list []string
	for _, name := range names {
		if fs.Changed(name) {
			list = append(list, "--"+name)
		}
	}
	return strings.Join(list, ", ")
}

// UsageError is a command line that is wrong.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Usage returns err as a UsageError.
func Usage(err error) error { return UsageError{err} }

// Usagef formats a UsageError.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// IDLines describes the lines of a file of ids.
const IDLines = "an id a line, in quotes or not; lines that begin with # are comments, unless the graph has " +
	"that very id"

// Vertex declares a flag for the id of one vertex, which must be given.
func Vertex(fs *pflag.FlagSet, name, usage string) {
	fs.String(name, "", "`ID` of the vertex "+usage+" (required)")
	Require(fs, name)
}

// Sources declares --source, which may be repeated, and --sources.
func Sources(fs *pflag.FlagSet, usage string) {
	fs.StringArray("source", nil, "`ID` of the vertex "+usage+"; again for several")
	fs.String("sources", "", "`FILE` with such vertices, "+IDLines)
}

// needed marks flags of which one must be given.
const needed = "garaph_needed"

// RequiredSources declares --source and --sources, one of which must be given.
func RequiredSources(fs *pflag.FlagSet, usage string) {
	Sources(fs, usage)
	RequireOne(fs, "source", "sources")
}

// RequireOne marks flags one of which must be given.
func RequireOne(fs *pflag.FlagSet, names ...string) {
	for _, name := range names {
		if err := fs.SetAnnotation(name, needed, nil); err != nil {
			panic(err) // there is no such flag
		}
	}
}

// Missing returns the flags of which one is required, joined by " or ", or "" if one is set.
func Missing(cmd *cobra.Command) string {
	var names []string
	given := false
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Annotations[needed]; ok {
			names = append(names, "--"+f.Name)
			given = given || f.Changed
		}
	})
	if given {
		return ""
	}
	return strings.Join(names, " or ")
}

// Along declares --along for the edges of a vertex.
func Along(fs *pflag.FlagSet, usage string) *string {
	return Enum(fs, "along", "both", []string{"in", "out", "both"}, usage)
}
