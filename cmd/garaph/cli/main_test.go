package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compile"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/programs"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"garaph": func() { mainOf(&app{exec: syscall.Exec, compiler: compiler}, os.Args[1:], nil) },
		"peak":   peakMain,
		"own":    func() { Main(New("indegree", "number of in-edges", inDegree{})) },
		"panics": func() { Main(New("panics", "a mistake", panicking{})) },
		"faster": func() {
			p := New("wcc", "components by a program of one's own", programs.WCC{})
			p.Ranking = Groups
			Main(p)
		},
		"latest": func() {
			p := New("leader", "last vertices that lead here, counted", latest{})
			p.Ranking = Groups
			Main(New("latest", "last vertex that leads here", latest{}), p)
		},
		"portable": func() {
			driverFiles = nil
			Main(New("indegree", "number of in-edges, on GPUs too", portable{}))
		},
		"nodriver": func() {
			driverFiles = nil
			Main()
		},
		"driver": func() {
			driverFiles = []string{os.Args[0], os.TempDir()}
			Main(New("indegree", "number of in-edges", inDegree{}))
		},
		"stopping": func() { // after 8 iterations of PageRank
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			own := builtinPrograms()[0]
			setup := own.Setup
			own.Setup = func(fs *pflag.FlagSet) Runner {
				run := setup(fs)
				return func(ctx context.Context, e Env) (*garaph.Result, error) {
					e.Options.Progress = func(it garaph.Iteration) {
						if it.Iteration == 7 {
							cancel()
						}
					}
					return run(ctx, e)
				}
			}
			os.Exit(Run(ctx, os.Args[1:], nil, os.Stdout, os.Stderr, own))
		},
		"searching": func() { // until the first answer is printed
			ctx, cancel := context.WithCancel(context.Background())
			os.Exit(Run(ctx, os.Args[1:], os.Stdin, cancelling{os.Stdout, cancel}, os.Stderr))
		},
		"counting": countingMain,
	})
}

// compiler is that of garaph-compile: no script has to build it.
func compiler(o CompileOptions) (CompileReport, error) {
	r, err := compile.Compile(compile.Options{Dir: ".", Packages: o.Packages, Types: o.Types, Check: o.Check})
	return CompileReport{Programs: r.Programs, Written: r.Written, Removed: r.Removed, Same: r.Same, Notes: r.Notes}, err
}

// cancelling is an output whose first write cancels.
type cancelling struct {
	io.Writer
	cancel context.CancelFunc
}

func (c cancelling) Write(b []byte) (int, error) {
	c.cancel()
	return c.Writer.Write(b)
}

// inDegree is a program of a user's.
type inDegree struct{}

func (inDegree) Init(gas.Vertex) (uint32, bool)                       { return 0, true }
func (inDegree) Zero() uint32                                         { return 0 }
func (inDegree) Gather(uint32, gas.Edge, uint32) uint32               { return 1 }
func (inDegree) Sum(a, b uint32) uint32                               { return a + b }
func (inDegree) Apply(_ gas.Vertex, _, acc uint32, _ gas.Step) uint32 { return acc }
func (inDegree) Activate(_ gas.Vertex, old, new uint32) bool          { return old != new }

// panicking divides by zero.
type panicking struct{ inDegree }

func (panicking) Apply(_ gas.Vertex, old, acc uint32, _ gas.Step) uint32 { return acc / old }

// portable is inDegree as if compiled: the emulated device runs its methods, and
// reads the layouts alone.
type portable struct{ inDegree }

func (portable) Fragments() compiled.Fragments {
	number := compiled.Layout{Size: 4, Align: 4, Leaves: []compiled.Leaf{{Kind: compiled.Uint32}}}
	return compiled.Fragments{Program: "portable", Value: number, Accumulator: number}
}

// latest is a program of a user's whose result is a vertex: the last one, in the
// order of ids, that leads to each.
type latest struct{}

func (latest) Init(v gas.Vertex) (uint32, bool)                       { return v.ID, true }
func (latest) Zero() uint32                                           { return 0 }
func (latest) Gather(src uint32, _ gas.Edge, _ uint32) uint32         { return src }
func (latest) Sum(a, b uint32) uint32                                 { return max(a, b) }
func (latest) Apply(_ gas.Vertex, old, acc uint32, _ gas.Step) uint32 { return max(old, acc) }
func (latest) Activate(_ gas.Vertex, old, now uint32) bool            { return old != now }
func (latest) Result(_ gas.Vertex, value uint32) gas.VertexID         { return gas.VertexID(value) }

func TestScripts(t *testing.T) {
	names := []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "CGO_ENABLED"} // so that nothing is compiled again
	values, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"), ContinueOnError: os.Getenv("SCRIPT_ALL") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": checkJSON, "damage": damage, "lines": lines, "checkout": checkout, "beside": beside,
			"interrupted": interrupted, "forge": forge, "odd": odd, "received": received,
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "long":
				return testsize.Long, nil
			case "race": // the race detector is at work, which reserves addresses of its own
				return raceDetector, nil
			}
			if module, ok := strings.CutPrefix(name, "python:"); ok { // the system's Python has it
				return hasModule(module), nil
			}
			return false, fmt.Errorf("no condition %s", name)
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("TMPDIR", e.WorkDir+"/tmp")
			for i, value := range strings.Split(strings.TrimSuffix(string(values), "\n"), "\n") {
				e.Setenv(names[i], value)
			}
			e.Setenv("GOPROXY", "off")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // a second at the end of each command, under -race
			return os.Mkdir(filepath.Join(e.WorkDir, "tmp"), 0o777)
		},
	})
}

// hasModule reports whether the Python of the system can import a module.
func hasModule(name string) bool {
	return exec.Command("/usr/bin/python3", "-c", "import "+name).Run() == nil
}

// checkout makes the folder a module that uses this repository.
func checkout(ts *testscript.TestScript, _ bool, _ []string) {
	root, err := filepath.Abs("../../..")
	ts.Check(err)
	text := "module example.com/widest\n\ngo 1.26.0\n\nrequire github.com/garaph/garaph v0.0.0\n\nreplace " +
		"github.com/garaph/garaph => " + root + "\n"
	ts.Check(os.WriteFile(ts.MkAbs("go.mod"), []byte(text), 0o666))
}

// beside puts a link to this repository beside the folder, and its path in $CLONE.
func beside(ts *testscript.TestScript, _ bool, _ []string) {
	root, err := filepath.Abs("../../..")
	ts.Check(err)
	ts.Check(os.Symlink(root, ts.MkAbs("garaph")))
	ts.Setenv("CLONE", root)
}

// exits CODE PROGRAM ARGS... runs a program that must end with a code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	var code *exec.ExitError
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	switch {
	case errors.As(err, &code):
		got = code.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

// json FILE PATH=VALUE... compares parts of a JSON object with values; PATH
// alone: it is there, !PATH: it is not.
func checkJSON(ts *testscript.TestScript, _ bool, args []string) {
	var object any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &object); err != nil {
		ts.Fatalf("%s is not one JSON object: %v", args[0], err)
	}
	for _, arg := range args[1:] {
		path, text, compared := strings.Cut(arg, "=")
		path, absent := strings.CutPrefix(path, "!")
		got, there := follow(object, strings.Split(path, "."))
		if there == absent {
			ts.Fatalf("%s: there is %t", path, there)
		}
		if !compared {
			continue
		}
		var want any
		if json.Unmarshal([]byte(text), &want) != nil {
			want = text
		}
		if !reflect.DeepEqual(got, want) {
			ts.Fatalf("%s: got %v, want %v", path, got, want)
		}
	}
}

func follow(x any, path []string) (any, bool) {
	for _, key := range path {
		switch v := x.(type) {
		case map[string]any:
			var ok bool
			if x, ok = v[key]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(v) {
				return nil, false
			}
			x = v[i]
		default:
			return nil, false
		}
	}
	return x, true
}

// lines FILE N counts the lines of a file.
func lines(ts *testscript.TestScript, _ bool, args []string) {
	if n := strings.Count(ts.ReadFile(args[0]), "\n"); fmt.Sprint(n) != args[1] {
		ts.Fatalf("%s has %d lines, want %s", args[0], n, args[1])
	}
}

// damage GRAPH changes a byte of a stored shard.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	logs, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "payload"))
	ts.Check(err)
	if len(logs) == 0 {
		ts.Fatalf("no payload in %s", args[0])
	}
	b, err := os.ReadFile(logs[0])
	ts.Check(err)
	b[len(b)/2] ^= 0xff
	ts.Check(os.WriteFile(logs[0], b, 0o666))
}

// interrupted GRAPH N ARGS... makes want<N>.tsv, PageRank of N iterations, and a
// job of the same that was interrupted before its end, with out.tsv, which is
// not there, to be written.
func interrupted(ts *testscript.TestScript, _ bool, args []string) {
	graph, n := args[0], args[1]
	line := []string{"run", "pagerank", graph, "--iterations", n, "--precision", "64"}
	ts.Check(ts.Exec("garaph", append(line, "--output", "want"+n+".tsv", "-q")...))
	ts.Check(os.RemoveAll(ts.MkAbs("out.tsv")))
	if !slices.Contains(args[2:], "--output") {
		line = append(line, "--output", "out.tsv")
	}
	err := ts.Exec("stopping", append(line, args[2:]...)...)
	var exit *exec.ExitError
	if text := ts.ReadFile("stderr"); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted ||
		!strings.Contains(text, "goes on") {
		ts.Fatalf("%v\n%s", err, text)
	}
}
