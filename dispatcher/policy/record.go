package policy

import (
	"encoding/json"
	"fmt"
)

// recordVersion is that of the bytes of Encode.
const recordVersion = 1

// record is what of a state outlives its process: what the choice between pull and
// notify-pull depends on. Times do not: the job may go on on another machine.
type record struct {
	Version int `json:"version"`
	Counts
	Limit float64 `json:"limit"`
}

// Encode returns what a checkpoint keeps of a state.
func Encode(s State) []byte {
	b, err := json.Marshal(record{Version: recordVersion, Counts: s.Counts, Limit: s.Limit})
	if err != nil {
		return nil // a limit that is no number: Decode says so
	}
	return b
}

// Decode puts into a state what Encode kept. After an error the state is as it was:
// the policy starts without it.
func Decode(b []byte, s State) (State, error) {
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return s, fmt.Errorf("the policy's record: %w", err)
	}
	if r.Version != recordVersion || !(r.Limit > 0 && r.Limit <= inMemoryLimit) {
		return s, fmt.Errorf("the policy's record has version %d and a limit of %v, expected version %d", r.Version, r.Limit,
			recordVersion)
	}
	s.Counts, s.Limit = r.Counts, r.Limit
	return s, nil
}
