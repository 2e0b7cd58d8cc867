package garaph_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/columns"
	"github.com/garaph/garaph/programs"
)

// TestAverages: the mean and the number of what a search reached, over CSV in SQLite and over Parquet in
// a reader, are those of what it reached: the others are null.
func TestAverages(t *testing.T) {
	dir := t.TempDir()
	edges := filepath.Join(dir, "edges.txt")
	if err := os.WriteFile(edges, []byte("1 2 0.5\n2 3 0.25\n3 4 2\n8 9 1\n9 1 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := imported(t, garaph.ImportOptions{}, edges)
	write := func(name string, r interface{ WriteFile(string, string) error }, err error) {
		if err == nil {
			err = r.WriteFile(filepath.Join(dir, name+".csv"), "")
		}
		if err == nil {
			err = r.WriteFile(filepath.Join(dir, name+".parquet"), "")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	source, err := g.Vertex("1")
	if err != nil {
		t.Fatal(err)
	}
	o := garaph.RunOptions{}
	bfs, err := garaph.Run(context.Background(), g, programs.BFS{Source: source}, o)
	write("bfs", bfs, err)
	defer bfs.Close()
	sssp, err := garaph.Run(context.Background(), g, programs.SSSP[float32]{Source: source}, o)
	write("sssp", sssp, err)
	defer sssp.Close()
	for name, want := range map[string]string{
		"bfs":  "6|4|1.5", // (0 + 1 + 2 + 3) / 4
		"sssp": "6|4|1.0", // (0 + 0.5 + 0.75 + 2.75) / 4
	} {
		file := filepath.Join(dir, name)
		if got := averageOfParquet(t, file+".parquet"); got != want {
			t.Errorf("Parquet: %s, want %s", got, want)
		}
		if got := averageOfCSV(t, file+".csv"); got != want {
			t.Errorf("SQLite: %s, want %s", got, want)
		}
	}
}

// averageOfParquet is what SQL's count(*), count and avg of the second column are.
func averageOfParquet(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	file, err := columns.OpenParquet(f, info.Size(), columns.NewMemory(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	rows, count, sum := 0, 0, 0.0
	for g := range file.Groups() {
		group, err := file.Read(f, g, []int{1})
		if err != nil {
			t.Fatal(err)
		}
		defer group.Close()
		for {
			v, n, err := group.Next(1000)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				switch rows++; {
				case v[0].IsNull(i):
				case v[0].Floats != nil:
					count, sum = count+1, sum+v[0].Floats[i]
				default:
					count, sum = count+1, sum+float64(v[0].Ints[i])
				}
			}
		}
	}
	return fmt.Sprintf("%d|%d|%.1f", rows, count, sum/float64(count))
}

// averageOfCSV asks SQLite, whose import makes empty strings of empty cells: nullif is in docs/formats.md.
func averageOfCSV(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(text), "\n")
	_, column, _ := strings.Cut(header, ",")
	query := fmt.Sprintf("select count(*), count(nullif(%[1]s, '')), printf('%%.1f', avg(nullif(%[1]s, ''))) from results", column)
	if sqlite, err := exec.LookPath("sqlite3"); err == nil {
		out, err := exec.Command(sqlite, ":memory:", ".import --csv '"+path+"' results", query).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(python, "-c", "import sqlite3").Run()
	}
	if err != nil {
		t.Skip("there is no SQLite, neither as a command nor in python3")
	}
	const program = `import csv, sqlite3, sys
rows = list(csv.reader(open(sys.argv[1])))
db = sqlite3.connect(":memory:")
db.execute("create table results (" + ",".join(rows[0]) + ")")
db.executemany("insert into results values (" + ",".join("?" * len(rows[0])) + ")", rows[1:])
print("|".join(map(str, db.execute(sys.argv[2]).fetchone())))`
	out, err := exec.Command(python, "-c", program, path, query).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}
