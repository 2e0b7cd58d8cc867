package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hostileJSON are values that nobody expects.
func hostileJSON(r *rand.Rand) string {
	return anyOf(r, []string{
		"null", "true", "0", "1", "-1", "2147483648", "4294967295", "4294967296", "9223372036854775807",
		"-9223372036854775808", "18446744073709551615", "1e308", "-1e308", "1e999", "1e-320", "0.5",
		`""`, `"x"`, `"\u001b[31m\u001b]0;title\u0007"`, `"two\nlines"`, `"\u0000"`,
		`"\u009b31m\u202e"`, `"../../user/notes.txt"`, `"/dev/stdout"`, `"running"`, `"interrupted"`, `"done"`, `"NaN"`,
		`"7ff8000000000001"`, `"ffffffffffffffff"`,
		"[]", "{}", "[null]", `[-1,0,4294967296]`, `{"":null}`,
		strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000),
		`"` + strings.Repeat("long ", 200_000) + `"`,
		"[" + strings.Repeat("0,", 300_000) + "0]",
		"[" + strings.Repeat("{},", 300_000) + "{}]",
	})
}

// mutateJSON puts a hostile value somewhere into a document, takes something out
// of it or has it twice.
func mutateJSON(text []byte, r *rand.Rand) (changed []byte, what string) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var x any
	if d.Decode(&x) != nil {
		return nil, ""
	}
	const mark = "@@HERE@@"
	at := ""
	x = mutateValue(x, r, &at, mark)
	b, err := json.Marshal(x)
	if err != nil {
		return nil, ""
	}
	value := hostileJSON(r)
	b = bytes.ReplaceAll(b, []byte(`"`+mark+`"`), []byte(value))
	return b, fmt.Sprintf("%s = %.40s", at, value)
}

// mutateValue goes down to a place of a document.
func mutateValue(x any, r *rand.Rand, at *string, mark string) any {
	if r.IntN(8) == 0 {
		return mark
	}
	switch v := x.(type) {
	case map[string]any:
		if len(v) == 0 || r.IntN(12) == 0 {
			v["more"] = mark
			return v
		}
		key := anyOf(r, slices.Sorted(maps.Keys(v)))
		*at += "." + key
		if r.IntN(12) == 0 {
			delete(v, key)
			*at += " removed"
			return v
		}
		v[key] = mutateValue(v[key], r, at, mark)
		return v
	case []any:
		if len(v) == 0 || r.IntN(12) == 0 {
			return append(v, mark)
		}
		i := r.IntN(len(v))
		*at += fmt.Sprintf("[%d]", i)
		v[i] = mutateValue(v[i], r, at, mark)
		return v
	}
	return mark
}

// recordMutations are those to what stands in files of JSON and of text.
func recordMutations() []mutation {
	return []mutation{
		{"field of a JOB", func(c *hostileCase, r *rand.Rand) string { return c.mutateJob(r, mutateJSON) }},
		{"path in a JOB", func(c *hostileCase, r *rand.Rand) string { return c.mutateJob(r, c.aim) }},
		{"status of a JOB", func(c *hostileCase, r *rand.Rand) string {
			return c.mutateJob(r, func(b []byte, r *rand.Rand) ([]byte, string) {
				status := anyOf(r, []string{"running", "done", "failed", "interrupted", "\x1b[31m"})
				return changeJSON(b, func(x map[string]any) { x["status"] = status }), status
			})
		}},
		{"PROGRESS", func(c *hostileCase, r *rand.Rand) string {
			return c.text(c.anyJob(r)+"/PROGRESS", anyOf(r,
				[]string{"-1\n", "9223372036854775807\n", "\x1b[2J", "99999999999999999999\n", strings.Repeat("1", 1<<20)}))
		}},
		{"LOCK", func(c *hostileCase, r *rand.Rand) string {
			return c.text(c.anyJob(r)+"/LOCK",
				anyOf(r, []string{"\x1b[2Jprocess 1\n\n", "process 1\n", strings.Repeat("p", 1<<20)}))
		}},
	}
}

// rewrite changes all of a file.
func (c *hostileCase) rewrite(rel string, change func(b []byte) ([]byte, string)) (what string) {
	c.at(rel, func(name string) error {
		b, err := readSmall(name)
		if err != nil {
			return err
		}
		b, what = change(b)
		if what == "" {
			return nil
		}
		return writeInPlace(name, b)
	})
	return what
}

func (c *hostileCase) text(rel, text string) string {
	if c.at(rel, func(name string) error {
		return errors.Join(os.RemoveAll(name), os.WriteFile(name, []byte(text), 0o666))
	}) == "" {
		return ""
	}
	return fmt.Sprintf("%s = %.40q", rel, text)
}

func (c *hostileCase) anyJob(r *rand.Rand) string { return fmt.Sprintf("jobs/%d", 1+r.IntN(4)) }

// mutateJob changes the record of a job, under its right checksum.
func (c *hostileCase) mutateJob(r *rand.Rand, change func(b []byte, r *rand.Rand) ([]byte, string)) string {
	rel := c.anyJob(r) + "/JOB"
	c.job = filepath.Base(filepath.Dir(rel))
	what := c.rewrite(rel, func(b []byte) ([]byte, string) {
		head, line := splitSealed(b)
		line, what := change(line, r)
		return sealText("JOB", head, line), what
	})
	if what == "" {
		return ""
	}
	c.another = true
	return rel + ": " + what
}

func changeJSON(b []byte, change func(x map[string]any)) []byte {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	x := map[string]any{}
	if d.Decode(&x) != nil || x == nil {
		return b
	}
	change(x)
	b, _ = json.Marshal(x)
	return b
}

// aim makes a job's record name a file of the user's, as each of what a run
// writes.
func (c *hostileCase) aim(b []byte, r *rand.Rand) ([]byte, string) {
	to := anyOf(r, []string{
		c.h.in("user", "notes.txt"), "../user/notes.txt", c.h.in("user", "ranks.tsv"),
		c.h.in("work", "out", "..", "..", "user", "ranks.tsv"), c.h.in("user", "new.tsv"),
		c.h.in("user", "folder", "new.tsv"),
		"edges.txt", c.h.in("work", "edges.txt"), c.path("GARAPH"), c.path("payload"), "g.graph/new.tsv", "/proc/self/fd/1",
		"/dev/full", "-", c.h.in("user"), "\x1b[31m/new.tsv", c.h.in("user", "two\nlines.tsv"),
	})
	field := anyOf(r, []string{"output", "flags.output", "both", "flags.report", "flags.trace", "flags.scratch",
		"flags.output-format", "from"})
	return changeJSON(b, func(x map[string]any) {
		flags, _ := x["flags"].(map[string]any)
		if flags == nil {
			flags = map[string]any{}
			x["flags"] = flags
		}
		if name, is := strings.CutPrefix(field, "flags."); is || field == "both" {
			if field == "both" {
				name = "output"
			}
			flags[name] = to
		}
		if field == "output" || field == "both" || field == "from" {
			x[strings.Replace(field, "both", "output", 1)] = to
		}
		if r.IntN(2) == 0 {
			x["status"] = "interrupted"
		}
		if r.IntN(2) == 0 { // as of a graph that was received
			delete(x, "place")
		}
	}), fmt.Sprintf("%s = %q", field, to)
}
