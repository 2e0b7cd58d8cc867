package dispatcher

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/shard"
)

// machine holds measurements of earlier jobs on this machine, in the user's folder for caches. If the file is missing
// or invalid, jobs measure again.
type machine struct {
	Version int `json:"version"`
	// Speeds are by devices, threads, program and size.
	Speeds map[string]policy.Speeds `json:"speeds"`
	Jobs   map[string]jobsOf        `json:"jobs"` // by program, threads and size
	Open   float64                  `json:"open"` // seconds until a GPU is open; if 0, none was
}

// jobsOf holds measurements of jobs of a kind.
type jobsOf struct {
	// seconds of an iteration of the CPU, for each edge of the graph; if 0, none was without a GPU
	Pass       float64 `json:"pass"`
	Iterations float64 `json:"iterations"` // until nothing changed; if 0, none came there
}

const (
	machineVersion = 1
	machineFile    = "speeds.json"
	machineFolder  = "garaph" // in the user's folder for caches
)

const (
	// usualOpen is how long a GPU takes to open, afterGPU how much longer a process takes to end
	// that has one, and startCUDA how long one with CUDA needs before it does anything: an H200.
	usualOpen, afterGPU, startCUDA = 0.11, 0.1, 0.11
	// An unknown job without a limit takes as long as usualIterations over
	// all edges, each of which takes a thread so long, and an iteration as much beside them: on
	// 16 processors and RMAT 22, BFS and k-core 7, shortest paths 15.
	usualIterations, edgeOfThread, usualIteration = 8, 4e-9, 20e-6
	// A search ends looking at the first edge that leads to the frontier, and passes most
	// edges by: BFS over RMAT 22 and 24 takes 9 to 10 ns an edge and thread for all of its
	// iterations, loading included.
	searchedEdge = 1.25e-9
	// loadedEdge is the time to copy an edge to the GPU: 3.5 bytes at 12 GB/s.
	loadedEdge = 0.3e-9
	// residentEdge and streamedEdge are the times of an edge that stays on an H200 and of one that is copied to it.
	residentEdge, streamedEdge = 5e-12, 45e-12
	// severalGain is how much more several GPUs must save than it takes to open them.
	severalGain = 2
)

// cacheFolder returns where the figures of this machine are to lie, or "" if the user has no such
// folder.
func cacheFolder() string {
	user, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(user, machineFolder)
}

// readMachine reads the measurements in a folder. If they are invalid, it returns none.
func readMachine(folder string) machine {
	var m machine
	text, err := os.ReadFile(filepath.Join(folder, machineFile))
	if err != nil || json.Unmarshal(text, &m) != nil || !m.sound() {
		return machine{Version: machineVersion, Speeds: map[string]policy.Speeds{}, Jobs: map[string]jobsOf{}}
	}
	return m
}

// sound reports whether figures can be those of a machine, in this version.
func (m machine) sound() bool {
	figure := func(x float64) bool { return x == 0 || x > 1e-15 && x < 1e12 }
	ok := m.Version == machineVersion && m.Speeds != nil && m.Jobs != nil && figure(m.Open)
	for _, s := range m.Speeds {
		ok = ok && s.Sound()
	}
	for _, c := range m.Jobs {
		ok = ok && figure(c.Pass) && figure(c.Iterations)
	}
	return ok
}

// changeMachine replaces the figures of a folder, which is made if the one around it, or the one
// around that, is there. Another process that does so at the same time may leave odd ones.
func changeMachine(folder string, change func(*machine)) error {
	_, _ = os.Mkdir(filepath.Dir(folder), 0o700), os.Mkdir(folder, 0o700) // writing says what is wrong
	m := readMachine(folder)
	change(&m)
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	file := filepath.Join(folder, machineFile)
	if err := os.WriteFile(file+".new", append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// sized adds to a key about how large a graph is: caches make small ones faster.
func sized(key string, edges uint64) string {
	return fmt.Sprintf("%s, 8^%d edges", key, bits.Len64(edges)/3)
}

// jobKey names what the time of a job of the CPU depends on.
func jobKey(program string, threads int, edges uint64) string {
	return sized(fmt.Sprintf("%s, %d threads", program, threads), edges)
}

// expected returns how many iterations a job likely does, and the seconds of one on the CPU, or 0 if that is unknown.
func (m machine) expected(program any, edges uint64, iterations, threads int) (n, pass float64) {
	known := m.Jobs[jobKey(fmt.Sprintf("%T", program), threads, edges)]
	n = cmp.Or(known.Iterations, usualIterations)
	if iterations > 0 && (known.Iterations == 0 || float64(iterations) < n) {
		n = float64(iterations)
	}
	return n, known.Pass * float64(edges)
}

// severalPay reports whether a job of which one GPU does an iteration in the given number of seconds is likely sooner
// done on two: opening another takes as long as opening the first.
func (m machine) severalPay(n, seconds float64) bool {
	return n*seconds/2 > severalGain*(cmp.Or(m.Open, usualOpen)+afterGPU)
}

// soonerOnCPU reports whether the CPU alone likely finishes a job before a GPU is open, which takes more seconds than
// usual, and has the edges.
func (m machine) soonerOnCPU(program any, edges uint64, iterations, threads int, more float64) bool {
	n, pass := m.expected(program, edges, iterations, threads)
	if pass == 0 {
		edge := edgeOfThread
		if searches(program) {
			edge = searchedEdge
		}
		pass = edge*float64(edges)/float64(threads) + usualIteration
	}
	return n*pass < cmp.Or(m.Open, usualOpen)+afterGPU+more+loadedEdge*float64(edges)
}

// searches reports whether the vertices of a program end looking, and settle, while values only
// improve. The types of its values are not known here, nor the interfaces over them.
func searches(program any) bool {
	t := reflect.TypeOf(program)
	_, saturates := t.MethodByName("Saturated")
	_, settles := t.MethodByName("Settled")
	return saturates && settles && abilitiesOf[struct{}](program).monotone
}

// SoonerOnCPU reports whether a job that may choose its devices would finish on the CPU before a
// process with CUDA and a GPU is ready. edges and iterations are upper bounds; if iterations is 0,
// there is none.
func SoonerOnCPU(program any, edges uint64, iterations, threads int) bool {
	return readMachine(cacheFolder()).soonerOnCPU(program, edges, iterations, threads, startCUDA)
}

// machineFolder returns the folder for the figures of the machine, or "" if there is none.
// Those of an emulated GPU are none.
func (p *plan[V, A]) machineFolder() string {
	if p.opt.hooks.machine != "" {
		return p.opt.hooks.machine
	}
	if strings.HasPrefix(p.opt.GPU.Name, device.EmulatedName) {
		return ""
	}
	return cacheFolder()
}

// allEdges returns the number of edges of the graph.
func (p *plan[V, A]) allEdges() uint64 { return p.store.Catalogue().Edges }

// leavesGPU reports whether a job that may choose is likely done sooner without a GPU.
func (p *plan[V, A]) leavesGPU() bool {
	if p.opt.Device != AutoDevice || p.opt.hooks.machine == "" && p.opt.GPU.asked() {
		return false
	}
	m := readMachine(p.machineFolder())
	return m.soonerOnCPU(p.program, p.allEdges(), p.opt.Iterations, p.opt.Threads, 0)
}

// wantsSeveral reports whether a job that may choose is likely sooner done on several GPUs than on the first one.
func (p *plan[V, A]) wantsSeveral(first device.Device) bool {
	m, edges, edge, bytes := readMachine(p.machineFolder()), p.allEdges(), residentEdge, int64(0)
	cat := p.store.Catalogue()
	for i := range cat.Shards {
		bytes += cat.Bytes(shard.In, i)
	}
	if bytes > gpuengine.MemoryLimit(first.Info(), p.opt.GPU.Memory) {
		edge = streamedEdge
	}
	n, _ := m.expected(p.program, edges, p.opt.Iterations, p.opt.Threads)
	return m.severalPay(n, edge*float64(edges))
}
