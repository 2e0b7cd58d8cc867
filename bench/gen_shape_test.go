package bench

import (
	"math"
	"slices"
	"testing"
)

// outDegrees returns the out-degrees in descending order, and what part of the
// edges the first hundredth of the vertices has.
func outDegrees(t *testing.T, o GenOptions) (degrees []int, top float64) {
	t.Helper()
	vertices, edges, err := o.Size()
	if err != nil {
		t.Fatal(err)
	}
	degrees = make([]int, vertices)
	for _, e := range read(t, o) {
		degrees[e.src]++
	}
	slices.SortFunc(degrees, func(a, b int) int { return b - a })
	sum := 0
	for _, d := range degrees[:vertices/100] {
		sum += d
	}
	return degrees, float64(sum) / float64(edges)
}

// TestSkew checks that the vertices of an rmat graph are far from equal, those of a
// uniform one close to it.
func TestSkew(t *testing.T) {
	rmat := GenOptions{Kind: RMAT, Scale: 14, Degree: 16, Format: Raw}
	plain, top := outDegrees(t, rmat)
	if top < 0.2 {
		t.Errorf("rmat: 1%% of the vertices have %.3f of the edges", top)
	}
	rmat.Permute = true
	if permuted, _ := outDegrees(t, rmat); !slices.Equal(plain, permuted) {
		t.Error("permuting the ids changed the degrees")
	}
	if _, top := outDegrees(t, GenOptions{Kind: Uniform, Vertices: 1 << 14, Edges: 16 << 14, Format: Raw}); top > 0.03 {
		t.Errorf("uniform: 1%% of the vertices have %.3f of the edges", top)
	}
}

// TestQuadrants checks that at every level of the matrix the quadrants have their chances,
// also for scales that are no multiple of a step.
func TestQuadrants(t *testing.T) {
	for _, scale := range []int{3, 5, 14, 17} {
		o := GenOptions{Kind: RMAT, Scale: scale, A: 0.5, B: 0.25, C: 0.15, Degree: max(1, 1<<17>>scale), Format: Raw}
		edges := read(t, o)
		for level := range scale {
			var count [4]float64
			for _, e := range edges {
				count[e.src>>level&1<<1|e.dst>>level&1]++
			}
			for i, p := range []float64{0.5, 0.25, 0.15, 0.1} {
				n := float64(len(edges))
				if sigma := math.Sqrt(n * p * (1 - p)); math.Abs(count[i]-n*p) > 5*sigma {
					t.Errorf("scale %d, level %d, quadrant %d: %.0f of %.0f edges", scale, level, i, count[i], n)
				}
			}
		}
	}
}

// TestUniformity checks that every vertex and every weight comes about equally often.
func TestUniformity(t *testing.T) {
	const vertices, edges = 100, 200_000
	var src, dst [vertices]float64
	var weights [256]float64
	for _, e := range read(t, GenOptions{Kind: Uniform, Vertices: vertices, Edges: edges, Format: RawW}) {
		src[e.src]++
		dst[e.dst]++
		weights[int(e.weight)]++
	}
	for _, counts := range [][]float64{src[:], dst[:], weights[1:]} {
		want := edges / float64(len(counts))
		for i, n := range counts {
			if math.Abs(n-want) > 6*math.Sqrt(want) {
				t.Errorf("%d of %d: %.0f times, want about %.0f", i, len(counts), n, want)
			}
		}
	}
}

func TestScrambleIsBijective(t *testing.T) {
	for bits := 1; bits <= 14; bits++ {
		s := newScramble(uint64(bits), bits)
		seen := make([]bool, 1<<bits)
		for x := range uint64(1) << bits {
			y := s.of(x)
			if y >= uint64(len(seen)) || seen[y] {
				t.Fatalf("%d bits: %d is out of range or comes twice", bits, y)
			}
			seen[y] = true
		}
	}
}

// TestGridIsALattice checks that edges join every pair of neighbours once, nothing else.
func TestGridIsALattice(t *testing.T) {
	const rows, cols = 7, 5
	seen := map[[2]uint64]int{}
	for _, e := range read(t, GenOptions{Kind: Grid, Rows: rows, Cols: cols}) {
		seen[[2]uint64{e.src, e.dst}]++
	}
	for r := range uint64(rows) {
		for c := range uint64(cols) {
			v := r*cols + c
			if c+1 < cols && seen[[2]uint64{v, v + 1}] != 1 || r+1 < rows && seen[[2]uint64{v, v + cols}] != 1 {
				t.Errorf("neighbours of %d, %d are missing", r, c)
			}
		}
	}
	if len(seen) != rows*(cols-1)+(rows-1)*cols {
		t.Errorf("%d edges", len(seen))
	}
}
