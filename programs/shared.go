package programs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// programText returns the part of a program's file that decides what its values mean: all above
// the description of its command. A job is resumed by a build with the same text (gas.Sourced).
func programText(file string) string {
	text, _, _ := strings.Cut(file, "Command describes garaph run")
	return text
}

// among reports whether v is one of some vertices, which are ascending. It is asked when
// a job begins, on the CPU.
func among(list []uint32, v uint32) bool {
	if len(list) == 0 {
		return false
	}
	_, found := slices.BinarySearch(list, v)
	return found
}

// single reports whether F is float32.
func single[F float32 | float64]() bool { return F(1)+F(0x1p-30) == F(1) }

// finite reports whether x is neither infinite nor NaN.
func finite[F float32 | float64](x F) bool { return math.Abs(float64(x)) <= math.MaxFloat64 }

func checkRanks(damping, tolerance float64) error {
	if !(damping > 0 && damping < 1) {
		return fmt.Errorf("the Damping is %v: expected a number above 0 and below 1, 0.85 as a rule", damping)
	}
	return checkTolerance(tolerance)
}

func checkTolerance(x float64) error {
	if !(x >= 0 && x <= math.MaxFloat64) {
		return fmt.Errorf("the Tolerance is %v: expected a finite number of 0 or more", x)
	}
	return nil
}

// checkFirst is like checkSources.
func checkFirst(vertices, first uint32, more []uint32) error {
	if err := checkSources(vertices, first); err != nil {
		return err
	}
	return checkSources(vertices, more...)
}

// checkSources refuses dense ids that are no vertices.
func checkSources(vertices uint32, sources ...uint32) error {
	for _, v := range sources {
		if v >= vertices {
			return fmt.Errorf("the source %d is no vertex: the dense ids of the graph are below %d; Graph.Vertex "+
				"finds that of an id", v, vertices)
		}
	}
	return nil
}

// parentsFlag declares --parents.
func parentsFlag(fs *pflag.FlagSet) {
	fs.Bool("parents", false, "also give the predecessor on a shortest path (the smallest id if there are several)")
}
