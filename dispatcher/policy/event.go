package policy

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
