package policy

import (
	"math"
	"strings"
	"testing"
)

// TestRecord checks that what a checkpoint keeps comes back; what cannot be read is an error and
// changes nothing.
func TestRecord(t *testing.T) {
	was := State{Counts: Counts{Pulled: math.MaxUint64, Owed: -5}, Limit: 1. / 3, Missed: 7, Speeds: Speeds{CPU: 1}}
	fresh := State{Trying: 3, Untried: 9}
	want := fresh
	want.Counts, want.Limit = was.Counts, was.Limit
	if got, err := Decode(Encode(was), fresh); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, c := range []struct{ name, record, want string }{
		{"none", "", "unexpected end"},
		{"not JSON", "\x00\xff", "invalid character"},
		{"a later version", `{"version":2,"pulled":1,"limit":0.5}`, "version 2"},
		{"no limit", `{"version":1,"pulled":1}`, "limit of 0"},
		{"a limit that is none", `{"version":1,"limit":0.6}`, "limit of 0.6"},
		{"too large", `{"version":1,"pulled":-1,"limit":0.5}`, "cannot unmarshal"},
		{"what cannot be encoded", string(Encode(State{Limit: math.NaN()})), "unexpected end"},
	} {
		got, err := Decode([]byte(c.record), fresh)
		if err == nil || !strings.Contains(err.Error(), c.want) || got != fresh {
			t.Errorf("%s: got %+v, %v", c.name, got, err)
		}
	}
}
