package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/flags"
)

// runFlags are the flags of every run.
type runFlags struct {
	device, mode, method *string
	iterations, threads  *int
	memory               *int64
	limit                *time.Duration
	scratch              *string
	gpuFlags
	resultFlags
	checkpoints *checkpointFlags
	imports     *importFlags
}

// checkGPU checks the name of a GPU.
func checkGPU(s string) error {
	if _, err := strconv.ParseUint(s, 10, 16); err != nil && !strings.HasPrefix(s, device.EmulatedName) {
		return fmt.Errorf("expected a number, as garaph devices lists them, or %s", device.EmulatedName)
	}
	return nil
}

// gpuFlags holds the flags of GPUs.
type gpuFlags struct {
	gpu, gather *string
	gpuMemory   *int64
	streams     *int
	advancingFlags
}

// gpuFlag declares --gpu.
func gpuFlag(fs *pflag.FlagSet) *string {
	return flags.Text(fs, "gpu", "NAME", checkGPU, "`NAME` of the GPU, as garaph devices lists them: 0, 1, … or "+
		"emulated (default the first one)")
}

// gpusFlag is gpuFlag for several GPUs.
func gpusFlag(fs *pflag.FlagSet) *string {
	check := func(s string) error {
		for name := range strings.SplitSeq(s, ",") {
			if s != device.All && checkGPU(name) != nil {
				return fmt.Errorf("expected numbers, as in 0,1 (garaph devices lists them), %s, or %s",
					device.All, device.EmulatedName)
			}
		}
		return nil
	}
	return flags.Text(fs, "gpu", "NAMES", check, "`NAMES` of GPUs, as garaph devices lists them: 0, 1, …, several as "+
		"0,1, all, or emulated (default the first one)")
}

// advancingFlags holds the flags for advancing frontiers on a GPU.
type advancingFlags struct{ advance, filter, direction *string }

func newAdvancingFlags(fs *pflag.FlagSet) advancingFlags {
	list := func(name string, words []string, usage string) *string {
		return flags.Enum(fs, name, words[0], words, usage)
	}
	return advancingFlags{
		list("advance", gpuengine.AdvanceNames, "how the rows of a frontier are divided among the threads of the "+
			"GPU"),
		list("filter", gpuengine.FilterNames, "how vertices are kept from being in a frontier twice; results are "+
			"the same"),
		list("direction", gpuengine.DirectionNames, "whether active vertices push, or others look for them (pull)"),
	}
}

func (f *advancingFlags) value() gpuengine.Advancing {
	how, _ := gpuengine.ParseAdvancing(*f.advance, *f.filter, *f.direction) // they are among the words
	return how
}

// resultFlags holds the flags of results and reports.
type resultFlags struct {
	output, format *string
	top            *int
	json           *bool
	report, trace  *string
}

func runCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run PROGRAM GRAPH|EDGES...|- [flags]",
		Short: "Run a program over a graph or edge lists",
		Long: `Run a program over a graph that garaph has imported, or over edge files (or -,
standard input), which are then imported into a temporary graph. Without
--output, --top and --json, the first ten vertices are printed.`,
		Example: `  garaph run pagerank web.graph --top 20
  garaph run bfs web.graph --source 42 --output hops.parquet
  garaph run wcc --undirected edges.txt.gz --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return Usagef("expected a program and a graph: `garaph programs` lists the programs")
			}
			return unknownWord(cmd, "program", args[0])
		},
	}
	showUsual(cmd)
	f := newRunFlags(cmd.PersistentFlags())
	for _, p := range a.programs {
		cmd.AddCommand(a.programCommand(p, f))
	}
	return cmd
}

// newRunFlags declares the flags of every run.
func newRunFlags(fs *pflag.FlagSet) *runFlags {
	return &runFlags{
		iterations: flags.Count(fs, "iterations", 0, 0, "limit of iterations; 0: none (default by the program)"),
		mode: flags.Enum(fs, "mode", dispatcher.Sync, []dispatcher.Mode{dispatcher.Sync, dispatcher.Async},
			"when vertices see new values: after the iteration (sync), or after the page (async), which takes "+
				"fewer iterations"),
		method: flags.Enum(fs, "method", dispatcher.Auto,
			[]dispatcher.Method{dispatcher.Auto, dispatcher.Pull, dispatcher.NotifyPull, dispatcher.Frontier},
			"which vertices work: all gather (pull), those with active neighbours do (notify-pull), or active "+
				"ones push (frontier)"),
		device: flags.Enum(fs, "device", dispatcher.AutoDevice,
			[]dispatcher.Device{dispatcher.AutoDevice, dispatcher.CPU, dispatcher.GPU, dispatcher.Hybrid},
			"where to run; hybrid is on the CPU and the GPU, auto is hybrid if there is a GPU"),
		threads: threadsFlag(fs),
		memory: flags.Size(fs, "memory", "memory of the process, such as 512MiB or 2GiB; 0: no limit "+
			"(default three quarters of what is available)"),
		limit: flags.Duration(fs, "time-limit", "stop after TIME, such as 2h, with a checkpoint for resume; "+
			"0: no limit"),
		scratch: fs.String("scratch", "", "`DIR` for the temporary graph of edge files, and temporary files of "+
			"algorithms (default the system's)"),
		gpuFlags: gpuFlags{
			gpu: gpusFlag(fs),
			gpuMemory: flags.Size(fs, "gpu-memory", "memory of the GPU to use, such as 4GiB; edges beyond "+
				"it are streamed (default nearly all that is free)"),
			streams: streamsFlag(fs, "streams of copies and computations on the GPU, which overlap"),
			gather: flags.Enum(fs, "gather", gpuengine.GatherAuto,
				[]gpuengine.Gather{gpuengine.GatherAuto, gpuengine.GatherReplicated, gpuengine.GatherSegmented},
				"how a block of GPU threads adds up: a thread per edge (replicated), or 16 edges per thread "+
					"(segmented)"),
			advancingFlags: newAdvancingFlags(fs),
		},
		checkpoints: newRunCheckpointFlags(fs),
		resultFlags: resultFlags{
			output: outputFlag(fs, "", "`FILE` for a value of every vertex; - is standard output"),
			format: formatFlag(fs),
			top: flags.Count(fs, "top", 0, 1, "print the first N vertices (default 10 without --output and "+
				"--json)"),
			json: fs.Bool("json", false, "print a report as one JSON object"),
			report: fs.String("report", "", "`FILE` for an HTML page with the distribution of results, the first "+
				"vertices, and plots of the run"),
			trace: fs.String("trace", "", "`FILE` for a trace of the CPU and the GPU, for chrome://tracing and "+
				"Perfetto"),
		},
		imports: newImportFlags(fs),
	}
}

func (a *app) programCommand(p Program, f *runFlags) *cobra.Command {
	cmd := &cobra.Command{Use: p.Name + " GRAPH|EDGES...|- [flags]", Short: p.Short, Example: p.Example}
	cmd.Long = fmt.Sprintf("%s: %s.", p.Name, p.Short)
	if p.Long != "" {
		cmd.Long += "\n" + p.Long
	}
	switch {
	case p.Algorithm && p.Iterations > 0:
		cmd.Long += fmt.Sprintf("\nIt ends after %d iterations at most, unless --iterations is given.", p.Iterations)
	case p.Algorithm:
		cmd.Long += "\nIt is an algorithm and not a vertex program, without iterations."
	case p.Timed:
		cmd.Long += fmt.Sprintf("\nIt runs for --iterations, %d if that is not given, or until no value changes.\n"+
			"With 0, that may never happen.", p.Iterations)
	case p.Iterations > 0:
		cmd.Long += fmt.Sprintf("\nIt ends after %d iterations at most, unless --iterations is given.", p.Iterations)
	default:
		cmd.Long += "\nIt ends when nothing changes any more, or after --iterations."
	}
	if r, ok := p.Value.(algorithms.Resumable); ok {
		name, _ := r.Steps()
		cmd.Long += fmt.Sprintf("\nFor --checkpoint-every, %s count as iterations.", name)
	}
	cmd.Long += fmt.Sprintf("\n`%s help expert` lists more flags.", a.name)
	runner := p.Setup(cmd.Flags())
	if p.Algorithm {
		cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
			for _, name := range p.refusedFlagNames() {
				cmd.InheritedFlags().Lookup(name).Hidden = true
			}
			cmd.Parent().HelpFunc()(cmd, args)
		})
	}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usagef("expected a graph, edge files or -, got none")
		}
		return nil
	}
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd, p); err != nil {
			return err
		}
		t := (&task{program: p, runner: runner, flags: f, cmd: cmd, args: args}).instead(a)
		if t.program.Algorithm && !t.program.GPU {
			return a.runWithin(cmd, t)
		}
		if !t.soonerOnCPU() {
			if err := a.handOver(*f.device, *f.gpu, p.Name); err != nil {
				return err
			}
		}
		if !hasGPU(*f.gpu) {
			t.warnGPU(a.console.Log, "there is no GPU that this run can use") // and not after hours
		}
		return a.runWithin(cmd, t)
	})
	return cmd
}

// check refuses flags that do not go together.
func (f *runFlags) check(cmd *cobra.Command, p Program) error {
	if missing := flags.Missing(cmd); missing != "" {
		return Usagef("%s needs %s", cmd.Name(), missing)
	}
	if p.Algorithm {
		if err := f.checkAlgorithm(cmd, p); err != nil {
			return err
		}
	}
	improves := p.Algorithm || p.Value == nil || dispatcher.Improves(p.Value)
	if *f.method == string(dispatcher.Frontier) && !improves {
		return Usagef("--method %s requires values that only improve; those of %s do not", *f.method, p.Name)
	}
	if err := f.resultFlags.check(cmd.Flags()); err != nil {
		return err
	}
	if err := f.checkGPU(cmd.Flags()); err != nil {
		return err
	}
	if err := f.checkpoints.check(dispatcher.Mode(*f.mode)); err != nil {
		return err
	}
	return f.imports.check()
}

// gpuFlagNames lists the flags that have no effect without a GPU.
var gpuFlagNames = append([]string{"gpu", "gpu-memory", "streams", "gather"}, advancingFlagNames...)

// advancingFlagNames lists the flags of frontiers.
var advancingFlagNames = []string{"advance", "filter", "direction"}

// checkGPU refuses flags of the GPU that no run can have.
func (f *runFlags) checkGPU(fs *pflag.FlagSet) error {
	if gpu := flags.Given(fs, gpuFlagNames...); gpu != "" && *f.device == string(dispatcher.CPU) {
		return Usagef("%s does not apply to --device cpu", gpu)
	}
	if method := *f.method; method == string(dispatcher.NotifyPull) &&
		(*f.device == string(dispatcher.GPU) || *f.device == string(dispatcher.Hybrid)) {
		return Usagef("--method %s does not apply to --device %s: GPUs pull", method, *f.device)
	}
	return nil
}

// check refuses results that would be written to one place.
func (f *resultFlags) check(fs *pflag.FlagSet) error {
	if err := checkOutput(fs); err != nil {
		return err
	}
	if *f.output == "-" && *f.top > 0 {
		return Usagef("--output - and --top both write to standard output: give --output a file")
	}
	return f.checkFiles(fs)
}

// checkOutput refuses --output and --output-format that name no file, and two results on standard output.
func checkOutput(fs *pflag.FlagSet) error {
	output := fs.Lookup("output").Value.String()
	switch {
	case fs.Changed("output") && output == "":
		return Usagef("--output is empty: give the name of a file, or - for standard output")
	case fs.Changed("output-format") && output == "":
		return Usagef("--output-format needs --output FILE or --output -")
	case output == "-" && fs.Lookup("json").Value.String() == "true":
		return Usagef("--output - and --json both write to standard output: give --output a file")
	}
	return nil
}

// checkFileName refuses standard output, and no name, for a file.
func checkFileName(fs *pflag.FlagSet, name string) error {
	if path := fs.Lookup(name).Value.String(); fs.Changed(name) && (path == "" || path == "-") {
		return Usagef("--%s %q: give the name of a file", name, path)
	}
	return nil
}

// checkFiles refuses a file that would be written twice, and names for the trace
// and the report that are none.
func (f *resultFlags) checkFiles(fs *pflag.FlagSet) error {
	files := []string{"output", "trace", "report", "metrics-file"}
	for i, name := range files {
		if !fs.Changed(name) {
			continue
		}
		if err := checkFileName(fs, name); err != nil && name != "output" {
			return err
		}
		for _, other := range files[:i] {
			if path := fs.Lookup(name).Value.String(); fs.Changed(other) &&
				output.SameName(path, fs.Lookup(other).Value.String()) {
				return Usagef("--%s and --%s both write %s: name two files", other, name, path)
			}
		}
	}
	return nil
}
