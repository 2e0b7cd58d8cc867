package dispatcher

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// TestTrim checks that after Trim the values are there, in any part, and of the budget all is
// free but the process's share, a value and two bits a vertex; on the CPU alone and
// with a device.
func TestTrim(t *testing.T) {
	for _, named := range testgraph.All() {
		s := teststore.Build(t, named.Graph, teststore.Options{ShardVertices: 3, Symmetric: true})
		n := s.Catalogue().Vertices
		for _, o := range []Options{{Device: CPU}, {Device: CPU, Memory: 1 << 30},
			{Device: GPU, GPU: GPUOptions{Name: "emulated"}, Memory: 1 << 30}} {
			j, err := New(s, programs.WCC{}, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := j.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(j.state.arrays.Cur)
			left := int64(math.MaxInt64)
			if o.Memory > 0 {
				left = o.Memory - processBytes - 4*int64(n) - 2*8*int64(bitset.Words(n))
			}
			if got, _ := j.Trim(); got != left {
				t.Errorf("%s, %s: %d bytes are left, want %d", named.Name, o.Device, got, left)
			}
			for _, from := range []uint32{0, n / 2} {
				var got []uint32
				err := j.ValuesOf(from, n, func(vs []gas.Vertex, values []uint32) error {
					for i, v := range vs {
						if v.ID != from+uint32(len(got)+i) {
							t.Errorf("%s: vertex %d stands at %d", named.Name, v.ID, len(got)+i)
						}
					}
					got = append(got, values...)
					return nil
				})
				if err != nil || !slices.Equal(got, want[from:]) {
					t.Errorf("%s, %s: values from %d are %v, want %v; %v", named.Name, o.Device, from, got, want[from:], err)
				}
			}
			j.Close()
		}
	}
}
