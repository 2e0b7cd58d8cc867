package cli

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

	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/results"
)

// checked is a flag whose text is parsed and checked by one function, so that a
// wrong value is found before anything begins.
type checked[T any] struct {
	to    *T
	kind  string // name of the value in the help
	parse func(string) (T, error)
	show  func(T) string
	text  string // as given
}

func (c *checked[T]) String() string { return c.show(*c.to) }
func (c *checked[T]) Type() string   { return c.kind }
func (c *checked[T]) given() string  { return c.text }

func (c *checked[T]) Set(s string) error {
	v, err := c.parse(s)
	if err == nil {
		*c.to, c.text = v, s
	}
	return err
}

// checkedFlag declares a flag of type checked.
func checkedFlag[T any](fs *pflag.FlagSet, name, kind string, value T, parse func(string) (T, error), show func(T) string, usage string) *T {
	fs.Var(&checked[T]{to: &value, kind: kind, parse: parse, show: show}, name, usage)
	return &value
}

func asIs(s string) string { return s }

// enum is a flag that takes one of a few words.
type enum struct {
	checked[string]
	words []string
}

// enumFlag declares a flag that takes one of a few words.
func enumFlag(fs *pflag.FlagSet, name, value string, words []string, usage string) *string {
	parse := func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", fmt.Errorf("expected one of %s", strings.Join(words, ", "))
		}
		return s, nil
	}
	fs.Var(&enum{checked[string]{to: &value, kind: strings.Join(words, "|"), parse: parse, show: asIs}, words}, name, usage)
	return &value
}

func words[T ~string](values ...T) []string {
	list := make([]string, 0, len(values))
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}

// countFlag declares a flag that takes a whole number, least or more.
func countFlag(fs *pflag.FlagSet, name string, value, least int, usage string) *int {
	return rangeFlag(fs, name, value, least, math.MaxInt, usage)
}

// threadsFlag declares --threads.
func threadsFlag(fs *pflag.FlagSet) *int {
	return rangeFlag(fs, "threads", 0, 0, hostmem.MaxThreads, "goroutines; 0: one for each processor")
}

// streamsFlag declares --streams.
func streamsFlag(fs *pflag.FlagSet, usage string) *int {
	return rangeFlag(fs, "streams", 0, 0, gpuengine.MaxStreams, usage+"; 0: 4, or 2 where edges are streamed")
}

// rangeFlag declares a flag that takes a whole number from least to most.
func rangeFlag(fs *pflag.FlagSet, name string, value, least, most int, usage string) *int {
	parse := func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("expected a whole number from %d to %d", least, most)
		}
		return n, nil
	}
	return checkedFlag(fs, name, "N", value, parse, strconv.Itoa, usage)
}

// numberFlag declares a flag that takes a number from 0 to below a limit, without limit if that is 0.
func numberFlag(fs *pflag.FlagSet, name string, value, below float64, usage string) *float64 {
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
	return checkedFlag(fs, name, "X", value, parse, show, usage)
}

// timeFlag declares a flag that takes a duration, 0 or more, in Go's units and in days: 90m, 30d, 1d12h.
func timeFlag(fs *pflag.FlagSet, name, usage string) *time.Duration {
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
	return checkedFlag(fs, name, "TIME", 0, parse, show, usage)
}

// sizeFlag declares a flag that takes a number of bytes, such as 512MiB, 2GiB or 1.5G.
func sizeFlag(fs *pflag.FlagSet, name, usage string) *int64 {
	show := func(n int64) string {
		if n == 0 {
			return "" // the usage names the default
		}
		return humanize.IBytes(uint64(n))
	}
	return checkedFlag(fs, name, "SIZE", 0, parseSize, show, usage)
}

func parseSize(s string) (int64, error) {
	n, err := humanize.ParseBytes(s)
	if err != nil || n > math.MaxInt64 {
		return 0, errors.New("expected a number of bytes such as 512MiB, 2GiB or 1.5G")
	}
	return int64(n), nil
}

// completeEnums lets shells complete the words of cmd's flags.
func completeEnums(cmd *cobra.Command) {
	for _, fs := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		fs.VisitAll(func(f *pflag.Flag) {
			var words []string
			if e, ok := f.Value.(*enum); ok {
				words = e.words
			} else if f.Name == "output-format" {
				words = results.Formats()
			}
			if words != nil { // an error says that it was done before
				_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
			}
		})
	}
}

// given returns the flags among names that are set, for an error.
func given(fs *pflag.FlagSet, names []string) string {
	var list []string
	for _, name := range names {
		if fs.Changed(name) {
			list = append(list, "--"+name)
		}
	}
	return strings.Join(list, ", ")
}
