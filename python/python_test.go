package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/cmd/garaph/cli"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/testsize"
)

// command is set in the environment of processes that are to be the command.
const command = "GARAPH_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(command) != "" {
		cli.Main(cli.New("indegree", "number of in-edges", inDegree{}),
			cli.New("farthest", "largest id that leads here", farthest{}))
	}
	os.Exit(m.Run())
}

// inDegree is a program of a user's.
type inDegree struct{}

func (inDegree) Init(gas.Vertex) (uint32, bool)                       { return 0, true }
func (inDegree) Zero() uint32                                         { return 0 }
func (inDegree) Gather(uint32, gas.Edge, uint32) uint32               { return 1 }
func (inDegree) Sum(a, b uint32) uint32                               { return a + b }
func (inDegree) Apply(_ gas.Vertex, _, acc uint32, _ gas.Step) uint32 { return acc }
func (inDegree) Activate(_ gas.Vertex, old, new uint32) bool          { return old != new }

// farthest has several columns, one of them of vertices, with nulls.
type farthest struct{}

func (farthest) Init(v gas.Vertex) (uint32, bool)                       { return v.ID, true }
func (farthest) Zero() uint32                                           { return 0 }
func (farthest) Gather(src uint32, _ gas.Edge, _ uint32) uint32         { return src }
func (farthest) Sum(a, b uint32) uint32                                 { return max(a, b) }
func (farthest) Apply(_ gas.Vertex, old, acc uint32, _ gas.Step) uint32 { return max(old, acc) }
func (farthest) Activate(_ gas.Vertex, old, now uint32) bool            { return old != now }
func (farthest) Columns() []gas.Column[uint32] {
	return []gas.Column[uint32]{
		{Name: "far", Int64: func(_ gas.Vertex, x uint32) int64 { return int64(x) }},
		{Name: "at", Vertex: func(_ gas.Vertex, x uint32) gas.VertexID { return gas.VertexID(x) },
			Null: func(v gas.Vertex, x uint32) bool { return v.ID == x }},
	}
}

// python finds an interpreter with NumPy; the test is skipped where there is none.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Skip("there is no python3 with NumPy")
	return ""
}

// TestPackage runs the tests of the Python package, which are in tests/, with this process
// as the command: the modules side by side, each in a process of Python.
func TestPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs commands from Python")
	}
	interpreter := python(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.Glob("tests/test_*.py")
	if err != nil || len(modules) == 0 {
		t.Fatalf("there are no tests: %v", err)
	}
	for _, path := range modules {
		name := strings.TrimSuffix(filepath.Base(path), ".py")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(interpreter, "-m", "unittest", "-v", "tests."+name)
			cmd.Env = append(os.Environ(), "GARAPH="+self, command+"=1", "GARAPH_TEST_OWN=1", "PYTHONDONTWRITEBYTECODE=1",
				"TMPDIR="+t.TempDir())
			if testsize.Long {
				cmd.Env = append(cmd.Env, "GARAPH_TEST_LONG=1")
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, " skipped ") || strings.HasPrefix(line, "Ran ") {
					t.Log(strings.TrimSpace(line))
				}
			}
		})
	}
}
