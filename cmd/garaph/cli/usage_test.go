package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// wrongUsage are command lines that cannot be run, and behind => what the error says of some.
const wrongUsage = `
imprt edges.txt g
pagerank g
run g pagerank
list
--quux => unknown flag: --quux
import edges.txt
import --format gml edges.txt h
info
verify g g => ^garaph: expected one graph, got 2 arguments\n
jobs g --foo
version 3
-q -v programs => do not go together
help nocmd => ^garaph: unknown command "nocmd"
run nosuch --help => ^garaph: unknown program "nosuch"
bench hybrid g --gpu nosuch => invalid argument "nosuch" for "--gpu" flag: expected a number, as garaph devices lists them, or emulated\n
run wcc g --gpu nosuch
import --memory 1MiB edges.txt h => a budget of 1.0 MiB is below the least one of 188MiB
run wcc edges.txt --memory 1MiB
run => expected a program and a graph
run pagerang g => ^garaph: unknown program "pagerang": did you mean pagerank\?\n
run bfs => expected a graph, edge files or -, got none
run bfs g => ^garaph: bfs needs --source or --sources\n
community g --max-size 4 => ^garaph: community needs --query or --queries\n
run sssp g
run bfs g --source 0 --damping 0.5
run wcc g --source 0
run bfs g --source 0 --itertions 5
import --undirectd edges.txt h
run bfs g -t 3
neighbors g -5
--log-format json path g -17.5 3
run pagerank g --damping 1 => at least 0 and below 1
run pagerank g --tolerance -1
run pagerank g --tolerance 1e999
run pagerank g --precision 16
run wcc g --iterations -1
run wcc g --threads -1
run wcc g --top 0
run wcc g --memory lots => a number of bytes such as 512MiB
run wcc g --mode bulk
run wcc g --method push
run wcc g --device cuda
run wcc g --dedup --ids int
run wcc g g => g is a folder: expected one graph, or edge files
run wcc g --output - --top 3 => both write to standard output
run wcc g --output= => --output is empty
run wcc g --output-format csv => --output-format needs --output
run wcc g --output out.xyz => garaph knows no results format with the extension of
run wcc g --output - --output-format xml => not a results format
run wcc g --output out.gz --output-format parquet
generate
generate ramt => unknown kind "ramt": did you mean rmat\?
generate grid --scale 3
generate rmat --format raw --weights => no room for weights
generate rmat --scale 60
run kcore edges.txt --k -1
run heat edges.txt --source 0 --step 0
`

// TestWrongUsage checks that a wrong command line ends with exit code 2, and the error says where the help is.
func TestWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("edges.txt", []byte("0 1\n1 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"import", "edges.txt", "g", "-q"}
	if code := Run(t.Context(), args, nil, &bytes.Buffer{}, os.Stderr); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	for text := range strings.Lines(strings.TrimSpace(wrongUsage)) {
		line, says, _ := strings.Cut(strings.TrimSpace(text), " => ")
		var stdout, stderr bytes.Buffer
		code := Run(t.Context(), strings.Fields(line), strings.NewReader(""), &stdout, &stderr)
		got := stderr.String()
		if code != exitUsage || stdout.Len() > 0 || !regexp.MustCompile(says).MatchString(got) ||
			!strings.Contains(got, "See `garaph ") {
			t.Errorf("%s: exit code %d\n%s%s", line, code, stdout.String(), got)
		}
	}
}

// TestAlgorithmHelp checks that the help of an algorithm has no flags that it refuses.
func TestAlgorithmHelp(t *testing.T) {
	var stdout bytes.Buffer
	code := Run(t.Context(), []string{"run", "triangles", "--help"}, nil, &stdout, os.Stderr)
	if text := stdout.String(); code != exitDone || strings.Contains(text, "--iterations") ||
		!strings.Contains(text, "--threads") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}
