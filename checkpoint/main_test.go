package checkpoint

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memoryDir returns an empty folder, in memory where the system has such a file
// system, so that tests need not wait for a disk.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "garaph-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// memory is the state of a job in memory: a [Source] and a [Sink].
type memory struct {
	state  State
	values []byte
	active []uint64

	mu    sync.Mutex // guards the rest
	begun int
	taken uint32
}

// random returns the state of a job with n vertices, the same for the same seed.
func random(seed uint64, n uint32, valueBytes int) *memory {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := &memory{values: make([]byte, int(n)*valueBytes), active: make([]uint64, words(n))}
	for i := range m.values {
		m.values[i] = byte(rng.Uint32())
	}
	for v := range n {
		if rng.IntN(3) == 0 {
			m.active[v/64] |= 1 << (v % 64)
		}
	}
	m.state = State{
		Vertices: n, ValueBytes: valueBytes, Iteration: int(seed),
		Aggregate: Float(rng.Float64()), Previous: Float(math.Inf(1)),
		Aggregates: []Float{Float(rng.Float64()), Float(math.NaN())}, Policy: []byte{byte(rng.IntN(9)), 0, 255},
	}
	return m
}

func (m *memory) Fill(from, to uint32, values []byte, active []uint64) error {
	copy(values, m.values[int(from)*m.state.ValueBytes:int(to)*m.state.ValueBytes])
	copy(active, m.active[from/64:(to+63)/64])
	return nil
}

func (m *memory) Begin(s State) error {
	m.state = s
	m.values = make([]byte, int(s.Vertices)*s.ValueBytes)
	m.active = make([]uint64, words(s.Vertices))
	m.begun++
	m.taken = 0
	return nil
}

func (m *memory) Take(from, to uint32, values []byte, active []uint64) error {
	copy(m.values[int(from)*m.state.ValueBytes:], values)
	copy(m.active[from/64:(to+63)/64], active)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taken += to - from
	return nil
}

// same reports whether m holds the state of o, to the bit.
func (m *memory) same(o *memory) bool {
	floats := func(s State) []uint64 {
		list := []uint64{math.Float64bits(float64(s.Aggregate)), math.Float64bits(float64(s.Previous))}
		for _, a := range s.Aggregates {
			list = append(list, math.Float64bits(float64(a)))
		}
		return list
	}
	return m.state.Vertices == o.state.Vertices && m.state.ValueBytes == o.state.ValueBytes &&
		m.state.Iteration == o.state.Iteration &&
		bytes.Equal(m.state.Policy, o.state.Policy) && slices.Equal(floats(m.state), floats(o.state)) &&
		bytes.Equal(m.values, o.values) && slices.Equal(m.active, o.active)
}

var someone = Identity{Graph: "1234", Program: "programs.SSSP", Source: "5678", Engine: 1,
	Parameters: map[string]string{"Source": "7", "mode": "1"}, Options: map[string]string{"mode": "sync"}}

// begun makes a job in a folder of jobs, and begins it.
func begun(t testing.TB, jobs string) *Job {
	t.Helper()
	j := NewJob(jobs, Spec{Name: "sssp"}, Policy{})
	j.SetChunkVertices(64)
	if err := j.Begin(someone, Policy{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// writeEpoch writes an epoch and says so to the job.
func writeEpoch(t testing.TB, j *Job, m *memory) int {
	t.Helper()
	n, err := j.Epochs().Write(t.Context(), m.state, m)
	if err == nil {
		err = j.Wrote(n, m.state.Iteration)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// reopen opens and begins a job again.
func reopen(t testing.TB, jobs string, id int) *Job {
	t.Helper()
	j, err := OpenJob(jobs, id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	j.SetChunkVertices(64)
	if err := j.Begin(someone, Policy{}); err != nil {
		t.Fatal(err)
	}
	return j
}

// epochPath returns the path of an epoch's folder.
func (f *Folder) epochPath(n int) string { return f.at.Path(epochName(n)) }

// files returns the files of an epoch.
func files(t testing.TB, j *Job, n int) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(j.Epochs().epochPath(n), "*"))
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	return list
}

var errFault = errors.New("fault")
