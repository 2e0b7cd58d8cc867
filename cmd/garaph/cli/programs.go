package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/flags"
)

func programsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "programs",
		Short: "List the programs that can be run",
		Long: `List the programs that can be run. Column loops is whether garaph compile wrote the loops
of a program; generic ones are several times slower. Column PTX is whether it has PTX for
NVIDIA GPUs. An algorithm, which is not a vertex program, has neither: -.`,
		Args: exactly("no argument", 0),
	}
	asJSON := cmd.Flags().Bool("json", false, "print all properties of the programs, with their flags, as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, _ []string) error {
		if *asJSON {
			return json.NewEncoder(a.stdout).Encode(a.programsReport(cmd.InheritedFlags()))
		}
		table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "program\tloops\tPTX\tcomputes\tflags\n") // errors are kept until Flush
		for _, p := range a.programsReport(cmd.InheritedFlags()).Programs {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t", p.Name, p.Loops, p.PTX, p.Short)
			for _, f := range p.Flags {
				fmt.Fprintf(table, "--%s ", f.Name)
			}
			fmt.Fprintln(table)
		}
		return table.Flush()
	})
	return cmd
}

// programsReport is `garaph programs` as JSON: enough for a client in another
// language to offer each program as a function.
type programsReport struct {
	Version     string          `json:"version"` // as `garaph version` prints it
	Programs    []programReport `json:"programs"`
	RunFlags    []flagReport    `json:"run_flags"`    // of every run
	ImportFlags []flagReport    `json:"import_flags"` // of edge files, of a run and of an import
	CommonFlags []flagReport    `json:"common_flags"` // of every command
}

// programReport describes a program.
type programReport struct {
	Name       string       `json:"name"`
	Short      string       `json:"short"`
	Long       string       `json:"long,omitempty"`
	Column     string       `json:"column"` // of its results, unless it has several
	Algorithm  bool         `json:"algorithm"`
	GPU        bool         `json:"gpu"`
	Loops      string       `json:"loops"`
	PTX        string       `json:"ptx"`
	Iterations int          `json:"iterations"` // the limit that it has without --iterations; 0 if there is none
	Flags      []flagReport `json:"flags"`
}

// flagReport describes a flag. What Value says is as in the help: a word for a
// value, such as N, X, ID or FILE; "" for a switch.
type flagReport struct {
	Name     string   `json:"name"`
	Value    string   `json:"value"`
	Words    []string `json:"words,omitempty"` // that it takes, if these are few
	Default  string   `json:"default"`
	Required bool     `json:"required"`
	Usage    string   `json:"usage"`
}

// programsReport describes all programs and the flags of their runs.
func (a *app) programsReport(common *pflag.FlagSet) programsReport {
	r := programsReport{Version: versionText(), Programs: []programReport{}, CommonFlags: reportFlags(common, nil)}
	for _, p := range a.programs {
		loops, ptx := form(p)
		own := newFlagSet()
		p.Setup(own)
		r.Programs = append(r.Programs, programReport{
			Name: p.Name, Short: p.Short, Long: strings.TrimSpace(p.Long), Column: p.column(),
			Algorithm: p.Algorithm, GPU: !p.Algorithm || p.GPU,
			Loops: loops, PTX: ptx, Iterations: p.Iterations, Flags: reportFlags(own, nil),
		})
	}
	run, imports := newFlagSet(), newFlagSet()
	newRunFlags(run)
	newImportFlags(imports)
	r.RunFlags, r.ImportFlags = reportFlags(run, imports), reportFlags(imports, nil)
	return r
}

// reportFlags describes the flags of a set, other than those of another one.
func reportFlags(fs, but *pflag.FlagSet) []flagReport {
	list := []flagReport{}
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || but != nil && but.Lookup(f.Name) != nil {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		if f.Value.Type() == "bool" {
			value = ""
		}
		r := flagReport{Name: f.Name, Value: value, Default: f.DefValue, Usage: usage, Words: flags.WordsOf(f)}
		if r.Default == "[]" {
			r.Default = ""
		}
		required := f.Annotations[cobra.BashCompOneRequiredFlag]
		r.Required = len(required) > 0 && required[0] == "true"
		list = append(list, r)
	})
	return list
}

// form reports how a program runs: through loops of its own or generic ones, and
// whether it has PTX. A type that embeds a compiled program has its methods
// Loops and Fragments, but not loops of its own.
func form(p Program) (loops, ptx string) {
	if p.Algorithm {
		return "-", "-"
	}
	if p.Value == nil {
		return "unknown", "unknown"
	}
	method := reflect.ValueOf(p.Value).MethodByName("Loops")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return "generic", "no"
	}
	own := method.Call(nil)[0]
	if own.Kind() != reflect.Struct || !own.FieldByName("Program").IsValid() ||
		reflect.TypeOf(own.FieldByName("Program").Interface()) != reflect.TypeOf(p.Value) {
		return "generic", "no"
	}
	if portable, ok := p.Value.(compiled.Portable); ok && portable.Fragments().Program != "" {
		return "compiled", "yes"
	}
	return "compiled", "no"
}
