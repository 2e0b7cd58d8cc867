package cli

import (
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/internal/results"
)

// TestFlagText checks that the recorded text of a flag gives it its value again, or that of
// its default.
func TestFlagText(t *testing.T) {
	declare := func() *pflag.FlagSet {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		newRunFlags(fs)
		fs.StringSlice("words", []string{"a"}, "")
		fs.StringArray("texts", nil, "")
		fs.IntSlice("numbers", []int{7}, "")
		return fs
	}
	for _, line := range [][]string{
		{"--memory=0"}, {"--memory=60123456"}, {"--memory=1.5G"}, {"--gpu-memory=0"},
		{"--checkpoint-interval=0"}, {"--checkpoint-interval=90m"}, {"--keep-checkpoints=3"}, {"--threads=0"},
		{"--columns=a,b"}, {"--delimiter=,"}, {"--mode=async"}, {"--json"}, {"--json=false"},
		{"--words=a,b", "--words=c"}, {"--words="}, {"--texts=a,b", "--texts=c d"}, {"--numbers=1,2"},
	} {
		first, again := declare(), declare()
		if err := first.Parse(line); err != nil {
			t.Fatal(err)
		}
		first.Visit(func(f *pflag.Flag) {
			if err := setFlag(again, f.Name, flagText(f.Value)); err != nil {
				t.Errorf("%v: %v", line, err)
			}
			if got := again.Lookup(f.Name); !got.Changed || got.Value.String() != f.Value.String() {
				t.Errorf("%v: got %v, want %v", line, got.Value, f.Value)
			}
		})
	}
	if err := setFlag(declare(), "no-such", ""); err == nil {
		t.Error("a flag that is not there was set")
	}
}

func TestDestination(t *testing.T) {
	for _, test := range []struct {
		path, format string
		want         results.Format
	}{
		{"", "", ""}, {"-", "", "tsv"}, {"-", "parquet", "parquet"}, {"-", "csv.gz", "csv.gz"},
		{"a.npy", "", "npy"}, {"a.csv.zst", "", "csv.zst"}, {"a", "ndjson", "ndjson"},
		{"a.gz", "tsv", "tsv"}, {"a.gz", "tsv.gz", "tsv.gz"}, {"a", "tsv.gz", "tsv.gz"},
	} {
		d, err := output.New(test.path, test.format)
		if err != nil || d.Format != test.want {
			t.Errorf("%q, %q: got %q, error %v, want %q", test.path, test.format, d.Format, err, test.want)
		}
	}
	for _, test := range [][2]string{{"a", ""}, {"a.xyz", ""}, {"a.gz", "npy"}, {"a.zst", "tsv.gz"}, {"-", "xml"}} {
		if d, err := output.New(test[0], test[1]); err == nil {
			t.Errorf("%q: got %q, want an error", test, d.Format)
		}
	}
}

// TestJobFilter checks that of the jobs that match, running ones are none, nor those whose age is unknown.
func TestJobFilter(t *testing.T) {
	now := time.Now()
	ago := func(state checkpoint.Status, days int) jobInfo {
		return jobInfo{State: state, Updated: now.AddDate(0, 0, -days)}
	}
	for _, c := range []struct {
		job             jobInfo
		old, done, both bool
	}{
		{ago("done", 40), true, true, true},
		{ago("done", 2), false, true, false},
		{ago("failed", 40), true, false, false},
		{ago("interrupted", 40), true, false, false},
		{ago("interrupted", 2), false, false, false},
		{ago("running", 40), false, false, false},
		{jobInfo{State: "damaged"}, false, false, false},
	} {
		for i, want := range []bool{c.old, c.done, c.both} {
			older, done := time.Duration(0), i > 0
			if i != 1 {
				older = 30 * 24 * time.Hour
			}
			if got := (jobFilter{&older, &done}).matches(&c.job, now); got != want {
				t.Errorf("%s of %v, older %v, done %v: %v", c.job.State, c.job.Updated, older, done, got)
			}
		}
	}
}
