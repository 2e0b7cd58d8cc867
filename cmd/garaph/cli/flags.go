package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
	kind  string // what the help calls the value
	parse func(string) (T, error)
	show  func(T) string
	text  string // what was given
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

// enum is a flag that takes one of a few words.
type enum struct {
	checked[string]
	words []string
}

// enumFlag declares a flag that takes one of a few words.
func enumFlag(fs *pflag.FlagSet, name, value string, words []string, usage string) *string {
	parse := func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", fmt.Errorf("expected %s", alternatives(words))
		}
		return s, nil
	}
	fs.Var(&enum{checked[string]{&value, strings.Join(words, "|"), parse, func(s string) string { return s }, ""}, words}, name, usage)
	return &value
}

func alternatives(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// countFlag declares a flag that takes a whole number, least or more.
func countFlag(fs *pflag.FlagSet, name string, value, least int, usage string) *int {
	return rangeFlag(fs, name, value, least, math.MaxInt, usage)
}

// threadsFlag declares --threads.
func threadsFlag(fs *pflag.FlagSet) *int {
	return rangeFlag(fs, "threads", 0, 0, hostmem.MaxThreads, "goroutines; 0: one for each processor")
}

// streamsFlag declares --streams, of whatever usage says.
func streamsFlag(fs *pflag.FlagSet, usage string) *int {
	return rangeFlag(fs, "streams", 0, 0, gpuengine.MaxStreams, usage+"; 0: 4, or 2 where edges are streamed")
}

// rangeFlag declares a flag that takes a whole number from least to most.
func rangeFlag(fs *pflag.FlagSet, name string, value, least, most int, usage string) *int {
	parse := func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		switch ok := err == nil && n >= least && n <= most; {
		case ok:
			return n, nil
		case most < math.MaxInt:
			return 0, fmt.Errorf("expected a whole number from %d to %d", least, most)
		default:
			return 0, fmt.Errorf("expected a whole number, %d or more", least)
		}
	}
	fs.Var(&checked[int]{&value, "N", parse, strconv.Itoa, ""}, name, usage)
	return &value
}

// uint32Flag declares a flag that takes a whole number of 32 bits; usage names
// it.
func uint32Flag(fs *pflag.FlagSet, name string, value uint32, usage string) *uint32 {
	parse := func(s string) (uint32, error) {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("expected a whole number from 0 to %d", uint32(math.MaxUint32))
		}
		return uint32(n), nil
	}
	show := func(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
	fs.Var(&checked[uint32]{&value, "N", parse, show, ""}, name, usage)
	return &value
}

// numberFlag declares a flag that takes a number from 0 to below a limit; 0 is
// none.
func numberFlag(fs *pflag.FlagSet, name string, value, below float64, usage string) *float64 {
	parse := func(s string) (float64, error) {
		x, err := strconv.ParseFloat(s, 64)
		switch {
		case err == nil && x >= 0 && (below == 0 && !math.IsInf(x, 0) || x < below):
			return x, nil
		case below == 0:
			return 0, errors.New("expected a number, 0 or more")
		default:
			return 0, fmt.Errorf("expected a number, at least 0 and below %v", below)
		}
	}
	show := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	fs.Var(&checked[float64]{&value, "X", parse, show, ""}, name, usage)
	return &value
}

// sizeFlag declares a flag that takes a number of bytes.
func sizeFlag(fs *pflag.FlagSet, name, usage string) *int64 {
	var value int64
	show := func(n int64) string {
		if n == 0 {
			return "" // the usage names the default
		}
		return humanize.IBytes(uint64(n))
	}
	fs.Var(&checked[int64]{&value, "SIZE", parseSize, show, ""}, name, usage)
	return &value
}

// parseSize reads a number of bytes, such as 512MiB, 2GiB or 1.5G.
func parseSize(s string) (int64, error) {
	n, err := humanize.ParseBytes(s)
	if err != nil || n > math.MaxInt64 {
		return 0, errors.New("expected a number of bytes such as 512MiB, 2GiB or 1.5G")
	}
	return int64(n), nil
}

var sizeUnit = regexp.MustCompile(`(?i)^[kmgt]i?b?$`)

// cutSize is the error of a size with a blank in it, --memory 1 GB, of which the unit is an argument; nil: there is none.
func cutSize(cmd *cobra.Command, args []string) (err error) {
	unit := ""
	for _, arg := range args {
		if _, there := os.Lstat(arg); there != nil && sizeUnit.MatchString(arg) && len(arg) > len(unit) {
			unit = arg
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		size, ok := f.Value.(*checked[int64])
		if !ok || unit == "" {
			return
		}
		const least = 1 << 20 // no budget is as small
		if n, noNumber := strconv.ParseFloat(size.given(), 64); noNumber == nil && n > 0 && n < least {
			err = Usagef("--%s %s %s has a blank in the size: --%s %s%s", f.Name, size.given(), unit, f.Name, size.given(), unit)
		}
	})
	return err
}

// flagGroup annotates a flag with the title that it stands under in a help text.
const flagGroup = "garaph_group"

// grouped adds the flags that declare declares to fs, under a title.
func grouped(fs *pflag.FlagSet, title string, declare func(*pflag.FlagSet)) {
	own := pflag.NewFlagSet(title, pflag.ContinueOnError)
	own.SortFlags = false
	declare(own)
	own.VisitAll(func(f *pflag.Flag) {
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[flagGroup] = []string{title}
	})
	fs.AddFlagSet(own)
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
			if words != nil { // fails when it was done before
				_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
			}
		})
	}
}

// given names those of some flags that were given.
func given(fs *pflag.FlagSet, names []string) string {
	var list []string
	for _, name := range names {
		if fs.Changed(name) {
			list = append(list, "--"+name)
		}
	}
	return strings.Join(list, ", ")
}

// unless annotates a flag that must be given, with one for a file that may be given instead.
const unless = "garaph_unless"

// missingFlags lists the flags of cmd that must be given and were not.
func missingFlags(cmd *cobra.Command) []string {
	var missing []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		required, or := f.Annotations[cobra.BashCompOneRequiredFlag], f.Annotations[unless]
		if f.Changed || len(or) == 0 && (len(required) == 0 || required[0] != "true") || len(or) > 0 && cmd.Flags().Changed(or[0]) {
			return
		}
		name, _ := pflag.UnquoteUsage(f)
		text := strings.TrimSpace("--" + f.Name + " " + name)
		if len(or) > 0 {
			text += " or --" + or[0] + " FILE"
		}
		missing = append(missing, text)
	})
	return missing
}
