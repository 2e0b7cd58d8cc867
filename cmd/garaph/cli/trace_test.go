package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrace checks that a trace has the copies and kernels of a job, those of a stream one
// after another, with all the edges and bytes that the job's report has.
func TestTrace(t *testing.T) {
	edges := edgeFile(t, 12)
	graph, file := filepath.Join(t.TempDir(), "graph"), filepath.Join(t.TempDir(), "trace.json")
	do := func(args ...string) []byte {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code != exitDone {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr.String())
		}
		return stdout.Bytes()
	}
	do("import", edges, graph)
	for _, memory := range []string{"1GiB", "256KiB"} { // all stays on the device, or little
		var report struct {
			Resident uint64 `json:"gpu_resident_edges"`
			Devices  struct {
				GPU struct{ Edges uint64 }
			}
			Iteration []struct {
				Copied int64 `json:"bytes_copied"`
			} `json:"per_iteration"`
		}
		out := do("run", "wcc", graph, "--device", "gpu", "--gpu", "emulated", "--gpu-memory", memory,
			"--trace", file, "--json")
		if err := json.Unmarshal(out, &report); err != nil {
			t.Fatal(err)
		}
		var copied int64
		for _, it := range report.Iteration {
			copied += it.Copied
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var trace struct {
			Events []traceEvent `json:"traceEvents"`
		}
		if err := json.Unmarshal(text, &trace); err != nil {
			t.Fatal(err)
		}
		bytes, gathered := 0.0, 0.0
		ends, names := map[int]float64{}, map[string]int{}
		for _, e := range trace.Events {
			if e.Phase != "X" || e.Process == cpuProcess {
				continue
			}
			names[e.Name]++
			if e.Duration < 0 || e.Time < ends[e.Thread]-1e-3 { // times are rounded
				t.Fatalf("%s begins at %v µs, takes %v, and what came before it in stream %d ends at %v",
					e.Name, e.Time, e.Duration, e.Thread, ends[e.Thread])
			}
			ends[e.Thread] = e.Time + e.Duration
			n, _ := e.Args["bytes"].(float64)
			bytes += n
			n, _ = e.Args["edges"].(float64)
			gathered += n
		}
		if uint64(gathered) != report.Devices.GPU.Edges || int64(bytes) != copied {
			t.Errorf("%s: the trace has %v edges and %v bytes copied, the report %d and %d",
				memory, gathered, bytes, report.Devices.GPU.Edges, copied)
		}
		if streamed := report.Resident == 0 || copied > 0; streamed != (names["copy"] > 0) || names["pull"] == 0 ||
			names["pull"] != names["apply"] {
			t.Errorf("%s: %d bytes were copied, and the trace has %v", memory, copied, names)
		}
	}
}
