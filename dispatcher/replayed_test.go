package dispatcher

import (
	"fmt"
	"reflect"

	"github.com/garaph/garaph/dispatcher/policy"
)

// replayed makes the calls of a run again, and compares what they give.
func replayed(run []policy.Event) error {
	var s policy.State
	for i, e := range run {
		var got, want any
		switch {
		case e.State != nil:
			s = *e.State
		case e.Measurement != nil:
			s = policy.Learn(s, *e.Measurement)
		case e.Decision != nil:
			want = *e.Decision
			got, s = policy.Decide(*e.Observation, s)
		default:
			want = *e.Upkeep
			got, s = policy.Maintain(*e.Observation, s, e.Seconds)
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("event %d: got %+v, the recorded run had %+v", i+1, got, want)
		}
	}
	return nil
}
