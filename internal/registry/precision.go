package registry

import (
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/internal/flags"
)

// A Precision is the number of bits of a value.
type Precision string

// The precisions. Auto is single where results are exact, or within 1e-6 of themselves, and else double.
const (
	Auto   Precision = "auto"
	Single Precision = "32"
	Double Precision = "64"
)

// PrecisionFlag declares --precision.
func PrecisionFlag(fs *pflag.FlagSet) func() Precision {
	p := flags.Enum(fs, "precision", Auto, []Precision{Auto, Single, Double},
		"bits of a value, a floating-point number: 32 where results are exact or within 1e-6 of themselves, "+
			"otherwise 64 (auto)")
	return func() Precision { return Precision(*p) }
}

// Either is a program in two precisions. The job runs Single unless that is nil or overflows.
type Either struct{ Single, Double any }

// Choose returns the program in precision p. Under Auto it runs in double precision if single is too coarse.
func (p Precision) Choose(coarse bool, single, double any) any {
	switch {
	case p == Single:
		return single
	case p == Double:
		return double
	case coarse:
		return Either{nil, double}
	}
	return Either{single, double}
}

// Coarse reports whether values with a relative change of at most tolerance have more than the 21 bits
// that a rounding in each iteration leaves of 24.
func Coarse(tolerance float64) bool { return tolerance > 0 && tolerance < 0x1p-21 }
