package checkpoint

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// State is the content of an epoch besides values and active set.
type State struct {
	Vertices   uint32 `json:"vertices"`
	ValueBytes int    `json:"value_bytes"`
	Iteration  int    `json:"iteration"` // the next one
	// Within reports that some vertices have taken part in that iteration already, as an
	// async job lets them.
	Within bool `json:"within,omitempty"`
	// Aggregate is the global aggregate of the last iteration, Previous that of
	// the one before it, and Aggregates has the shares of the shards.
	Aggregate  Float   `json:"aggregate"`
	Previous   Float   `json:"previous_aggregate"`
	Aggregates []Float `json:"shard_aggregates,omitempty"`
	// Policy is the encoded state of the policy that chooses iterations. This package does not interpret it.
	Policy []byte `json:"policy"`
	// Work is the work of the job's processes up to here, if set.
	Work *Work `json:"work,omitempty"`
}

// Work is the work of processes, for reports. No value depends on it.
type Work struct {
	Seconds     float64 `json:"seconds"`      // of iterations
	LoadSeconds float64 `json:"load_seconds"` // before the first one of each process
	Edges       uint64  `json:"edges_processed"`
	BytesRead   int64   `json:"bytes_read"`
}

// Plus returns the sum.
func (w Work) Plus(x Work) Work {
	return Work{w.Seconds + x.Seconds, w.LoadSeconds + x.LoadSeconds, w.Edges + x.Edges, w.BytesRead + x.BytesRead}
}

// Float is a float64 that keeps every bit in JSON, NaN and infinities included.
type Float float64

// MarshalText writes the 64 bits in hexadecimal.
func (f Float) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%016x", math.Float64bits(float64(f))), nil
}

// UnmarshalText parses the text of MarshalText.
func (f *Float) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	if err != nil {
		return fmt.Errorf("%.40q are not 64 bits in hexadecimal", b)
	}
	*f = Float(math.Float64frombits(n))
	return nil
}

// Identity identifies the job of a state. Only a job with the same identity may resume it.
type Identity struct {
	Graph      string            `json:"graph"`      // the graph's fingerprint
	Program    string            `json:"program"`    // the program's type
	Source     string            `json:"source"`     // hash of the program's source
	Engine     int               `json:"engine"`     // version of the code that determines the bits of values
	Parameters map[string]string `json:"parameters"` // the program's, by name
	Options    map[string]string `json:"options"`    // those of the run that results depend on, by name
}

// Check compares another identity with this one of the stored job. The
// error is [ErrDiffers], and names the difference.
func (id Identity) Check(now Identity) error {
	var list []string
	differ := func(what, then, is string) {
		if then != is {
			list = append(list, fmt.Sprintf("%s was %s and is %s", printable(what), printable(then), is))
		}
	}
	if id.Graph != now.Graph {
		list = append(list, "the graph is not the one over which the job was begun")
	}
	differ("the program", id.Program, now.Program)
	if id.Program == now.Program && id.Source != now.Source { // a hash, of the executable where the program has no text
		list = append(list, fmt.Sprintf("program %s or its executable has changed: resume it with the executable that "+
			"began it, or run it again", printable(now.Program)))
	}
	differ("the version of the engine", strconv.Itoa(id.Engine), strconv.Itoa(now.Engine))
	for _, m := range []struct{ then, is map[string]string }{{id.Parameters, now.Parameters}, {id.Options, now.Options}} {
		names := slices.Sorted(maps.Keys(m.then))
		for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(names, maps.Keys(m.is))))) {
			differ(name, cmp.Or(m.then[name], "not there"), cmp.Or(m.is[name], "not there"))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrDiffers, strings.Join(list, ", "))
}

// commit is the record that is written when all chunks of an epoch are on disk.
type commit struct {
	State
	Identity      Identity `json:"identity"`
	ChunkVertices uint32   `json:"chunk_vertices"`
}

// check refuses a record of which no epoch can be.
func (c *commit) check() error {
	if c.Vertices == 0 || c.ValueBytes <= 0 || c.ValueBytes > maxValueBytes ||
		c.ChunkVertices == 0 || c.ChunkVertices%64 != 0 || c.ChunkVertices > DefaultChunk || c.Iteration < 0 ||
		c.Iteration > maxIterations {
		return fmt.Errorf("%w: its closing record has %d vertices of %d bytes in chunks of %d, iteration %d", ErrDamaged,
			c.Vertices, c.ValueBytes, c.ChunkVertices, c.Iteration)
	}
	if w := c.Work; w != nil && !(w.Seconds >= 0 && w.LoadSeconds >= 0 && w.BytesRead >= 0) {
		return fmt.Errorf("%w: its closing record has %v seconds of work, %v of loading and %d bytes that were read",
			ErrDamaged, w.Seconds, w.LoadSeconds, w.BytesRead)
	}
	return nil
}

// chunks returns the number of chunks.
func (c *commit) chunks() int {
	return int((uint64(c.Vertices) + uint64(c.ChunkVertices) - 1) / uint64(c.ChunkVertices))
}

// bitsAt returns where the bits of the active vertices begin in the file of values.
func (c *commit) bitsAt() int64 { return int64(c.Vertices) * int64(c.ValueBytes) }

// sumsAt returns where the checksums begin in the file of values.
func (c *commit) sumsAt() int64 { return c.bitsAt() + 8*words(c.Vertices) }

// bytes returns the size of the file of values.
func (c *commit) bytes() int64 { return c.sumsAt() + int64(c.chunks())*checksumBytes }

// words returns the number of words with a bit for each of n vertices.
func words(n uint32) int64 { return (int64(n) + 63) / 64 }

// span returns the vertices of chunk i.
func (c *commit) span(i int) (from, to uint32) {
	first := uint64(i) * uint64(c.ChunkVertices)
	return uint32(first), uint32(min(first+uint64(c.ChunkVertices), uint64(c.Vertices)))
}
