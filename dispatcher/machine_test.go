package dispatcher

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// TestSoonerOnCPU checks that what decides whether a GPU is opened is how long that takes, beside
// what the CPU would take for the job.
func TestSoonerOnCPU(t *testing.T) {
	key := func(edges uint64) string { return jobKey("string", 2, edges) }
	with := func(edges uint64, c jobsOf) machine { return machine{Jobs: map[string]jobsOf{key(edges): c}} }
	const small, large = 100_000, 500_000_000
	for _, c := range []struct {
		name       string
		program    any
		m          machine
		edges      uint64
		iterations int
		more       float64
		want       bool
	}{
		{"small", "P", machine{}, small, 0, 0, true},
		{"no edges", "P", machine{}, 0, 0, 0, true},
		{"large", "P", machine{}, large, 0, 0, false},
		{"large, with a new process", "P", machine{}, large, 0, startCUDA, false},
		{"small, a hundred thousand iterations", "P", machine{}, small, 100_000, 0, false},
		{"medium", "P", machine{}, 20_000_000, 0, 0, false},
		{"medium, few iterations", "P", machine{}, 20_000_000, 3, 0, true},
		{"medium, a GPU that opens slowly", "P", machine{Open: 1}, 20_000_000, 0, 0, true},
		{"medium, known to be fast", "P", with(20_000_000, jobsOf{Pass: 1e-9, Iterations: 5}), 20_000_000, 0, 0, true},
		{"small, known to be slow", "P", with(small, jobsOf{Pass: 1e-6, Iterations: 5}), small, 0, 0, false},
		{"small, known to need many iterations", "P", with(small, jobsOf{Pass: 2e-9, Iterations: 1e5}), small, 0, 0, false},
		{"medium, known by a GPU to need few iterations", "P", with(20_000_000, jobsOf{Iterations: 3}), 20_000_000, 200,
			0, true},
		{"small, many iterations, but limited", "P", with(small, jobsOf{Pass: 2e-9, Iterations: 1e5}), small, 10, 0, true},
		{"small, figures of another size", "P", with(large, jobsOf{Pass: 1, Iterations: 5}), small, 0, 0, true},
		{"large, a search", programs.BFS{}, machine{}, large, 0, 0, false},
		{"medium, a search", programs.BFS{}, machine{}, 30_000_000, 0, 0, true},
		{"medium, cores", programs.KCore{K: 16}, machine{}, 30_000_000, 0, 0, false},
		{"medium, shortest paths", programs.SSSP[float32]{}, machine{}, 30_000_000, 0, 0, false},
	} {
		if got := c.m.soonerOnCPU(c.program, c.edges, c.iterations, 2, c.more); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
	// On an H200 with 16 threads, RMAT 24: BFS took 0.58 s on the CPU and 0.84 s on the GPU, k-core 1.29 and 0.92.
	for i, program := range []any{programs.BFS{}, programs.KCore{K: 16}, programs.SSSP[float32]{}, programs.WCC{}} {
		if got := (machine{}).soonerOnCPU(program, 536_868_040, 0, 16, startCUDA); got != (i == 0) {
			t.Errorf("%T over RMAT 24: got %v", program, got)
		}
	}
}

// TestMachine checks that the first job over a graph starts from what jobs over others have
// measured on this machine, and a small one that nobody wants on a GPU opens none. Figures that are
// missing, damaged, of another version or not to be written are no harm.
func TestMachine(t *testing.T) {
	g := manyEdges()
	labels := oracle.WCC(g)
	folder := filepath.Join(t.TempDir(), "cache", "garaph")
	run := func(on Device, machine string) Report {
		t.Helper()
		s := teststore.Build(t, g, teststore.Options{ShardVertices: 25}) // which no job has seen
		values, r, err := runWCC(s, Options{Device: on, GPU: GPUOptions{Name: "emulated"}, Threads: 1,
			hooks: hooks{machine: machine}})
		if err != nil || !slices.Equal(values, labels) {
			t.Fatalf("%s: %v, right: %v", on, err, slices.Equal(values, labels))
		}
		return r
	}
	if r := run(Hybrid, folder); r.Preparation.Calibration == 0 {
		t.Error("the first job on a machine did not calibrate")
	}
	if r := run(Hybrid, folder); r.Preparation.Calibration != 0 {
		t.Error("a job over another graph calibrated again")
	}
	pass := func(seconds float64) { // however fast the machine is
		t.Helper()
		err := changeMachine(folder, func(m *machine) {
			for key, c := range m.Jobs {
				c.Pass = seconds
				m.Jobs[key] = c
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	pass(1e-9)
	if r := run(AutoDevice, folder); r.GPU.Name != "" || r.GPU.Without != sooner {
		t.Errorf("a small job: GPU %q, without: %q", r.GPU.Name, r.GPU.Without)
	}
	m := readMachine(folder)
	if c := m.Jobs[jobKey("dispatcher.WCC", 1, uint64(len(g.Edges)))]; len(m.Speeds) != 1 || m.Open <= 0 || c.Pass <= 0 ||
		c.Pass == 1e-9 || c.Iterations < 1 {
		t.Errorf("kept: %+v", m)
	}
	pass(1)
	if r := run(AutoDevice, folder); r.GPU.Name == "" {
		t.Errorf("a job that the CPU was slow with had no GPU: %q", r.GPU.Without)
	}
	file := filepath.Join(folder, machineFile)
	for what, text := range map[string]string{
		"nothing": "", "no JSON": "{", "null": "null", "another version": strings.Replace(mustRead(t, file), `"version": 1`,
			`"version": 2`, 1),
		"no maps": `{"version": 1}`, "figures of no machine": strings.Replace(mustRead(t, file), `"cpu": `, `"cpu": -`, 1),
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := run(Hybrid, folder); r.Preparation.Calibration == 0 {
			t.Errorf("%s: did not calibrate", what)
		}
		if m := readMachine(folder); len(m.Speeds) != 1 {
			t.Errorf("%s: not mended: %+v", what, m)
		}
	}
	nowhere := filepath.Join(t.TempDir(), "no", "such", "folder")
	if r := run(Hybrid, nowhere); r.Preparation.Calibration == 0 {
		t.Error("without a folder: did not calibrate")
	}
	if _, err := os.Stat(filepath.Dir(filepath.Dir(nowhere))); err == nil {
		t.Error("a folder was made in one that is not there")
	}
	run(Hybrid, file) // a file where a folder is to be
}

func mustRead(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSeveralOnAuto checks that a job that may choose takes all GPUs if it is long enough, and continues with the first
// one if another cannot be opened.
func TestSeveralOnAuto(t *testing.T) {
	for _, c := range []struct { // RMAT 26, resident and streamed
		n, seconds float64
		want       bool
	}{{20, 6.4e-3, false}, {200, 6.4e-3, true}, {5, 50e-3, false}, {20, 50e-3, true}} {
		if got := (machine{}).severalPay(c.n, c.seconds); got != c.want {
			t.Errorf("%v iterations of %v s: got %v", c.n, c.seconds, got)
		}
	}
	g := manyEdges()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 25})
	labels := oracle.WCC(g)
	folder := filepath.Join(t.TempDir(), "garaph")
	for _, c := range []struct {
		iterations float64
		broken     bool
		want       int
	}{{10, false, 1}, {1e11, false, 3}, {1e11, true, 1}} {
		err := changeMachine(folder, func(m *machine) {
			m.Jobs[jobKey("dispatcher.WCC", 1, uint64(len(g.Edges)))] = jobsOf{Pass: 1, Iterations: c.iterations}
		})
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Device: AutoDevice, Method: Pull, Threads: 1, hooks: hooks{machine: folder}}
		o.hooks.gpus = []string{"0", "1", "2"}
		o.hooks.open = func(name string) (device.Device, error) {
			if c.broken && name == "2" {
				return nil, errors.New("broken")
			}
			return watched{device.NewEmulated(device.EmulatedOptions{}), t}, nil
		}
		values, r, err := runWCC(s, o)
		if err != nil || !slices.Equal(values, labels) || len(strings.Split(r.GPU.Name, ", ")) != c.want {
			t.Errorf("%+v: GPUs %q, without: %q, lost: %q, %v", c, r.GPU.Name, r.GPU.Without, r.GPU.Lost, err)
		}
	}
}
