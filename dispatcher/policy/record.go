package policy

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// recordVersion is that of the bytes of Encode. Version 0 has no number: these are
// the fields that closing records of epochs of version 2 had.
const recordVersion = 1

// record is what of a state outlives its process: what the choice between pull and
// notify-pull depends on. Times do not: the job may go on on another machine.
type record struct {
	Version int `json:"version"`
	Counts
	Limit float64 `json:"limit"`
	// OldLimit is the Limit of version 0: its 64 bits in hexadecimal.
	OldLimit string `json:"notify_limit,omitempty"`
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
	switch r.Version {
	case 0:
		bits, err := strconv.ParseUint(r.OldLimit, 16, 64)
		if err != nil {
			return s, fmt.Errorf("the policy's record of version 0: %w", err)
		}
		r.Limit = math.Float64frombits(bits)
	case recordVersion:
	default:
		return s, fmt.Errorf("the policy's record has version %d, expected %d", r.Version, recordVersion)
	}
	if !(r.Limit > 0 && r.Limit <= inMemoryLimit) {
		return s, fmt.Errorf("the policy's record has a limit of %v", r.Limit)
	}
	s.Counts, s.Limit = r.Counts, r.Limit
	return s, nil
}
