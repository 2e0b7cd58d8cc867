package flags_test

import (
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/internal/flags"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "512MiB": 512 << 20, "512 mib": 512 << 20, "2GB": 2e9, "1.5G": 15e8, "3TiB": 3 << 40, "1,024": 1024,
	} {
		if got, err := flags.ParseSize(text); err != nil || got != want {
			t.Errorf("%q: got %d, error %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "GiB", "1 parsec", "1e3", "NaN", "10EiB", "99999999999999999999"} {
		if got, err := flags.ParseSize(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 720 * time.Hour, "1d12h": 36 * time.Hour, "0d": 0, "90s": 90 * time.Second, "0": 0, "1.5h": 90 * time.Minute,
		"": -1, "d": -1, "-1d": -1, "-1s": -1, "1d-2h": -1, "2": -1, "1.5d": -1, "1h1d": -1, "99999d": -1,
	} {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		got := flags.Duration(fs, "time", "")
		if err := fs.Set("time", text); (err != nil) != (want < 0) || err == nil && *got != want {
			t.Errorf("%q: got %v, error %v, want %v", text, *got, err, want)
		}
	}
}
