package policy

import (
	"fmt"
	"reflect"
)

// Event is one call of Decide, Maintain or Learn in a run, with what it was given
// and what it gave. The first event of a run has only the State that it began with.
// In JSON, a run is a line for each event.
type Event struct {
	Observation *Observation `json:"observation,omitempty"` // of Decide and Maintain
	Decision    *Decision    `json:"decision,omitempty"`    // of Decide
	Seconds     float64      `json:"seconds,omitempty"`     // of Maintain
	Upkeep      *Upkeep      `json:"upkeep,omitempty"`      // of Maintain
	Measurement *Measurement `json:"measurement,omitempty"` // of Learn
	State       *State       `json:"state,omitempty"`       // that the policy was set to
}

// Replay makes the calls of a run again, and compares what they give.
func Replay(run []Event) (State, error) {
	var s State
	for i, e := range run {
		var got, want any
		switch {
		case e.State != nil:
			s = *e.State
		case e.Measurement != nil:
			s = Learn(s, *e.Measurement)
		case e.Decision != nil:
			want = *e.Decision
			got, s = Decide(*e.Observation, s)
		default:
			want = *e.Upkeep
			got, s = Maintain(*e.Observation, s, e.Seconds)
		}
		if !reflect.DeepEqual(got, want) {
			return s, fmt.Errorf("event %d: got %+v, the recorded run had %+v", i+1, got, want)
		}
	}
	return s, nil
}
