package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/tinydisk"
)

// diskRounds is the number of runs, and of imports, on a full disk.
func diskRounds() int {
	if n, err := strconv.Atoi(os.Getenv("GARAPH_DISK")); err == nil {
		return n
	}
	if testing.Short() {
		return 2
	}
	return 6
}

var (
	crashed  = regexp.MustCompile(`nil pointer|panic|goroutine |fatal error|SIG[A-Z]+|Assert`)
	diskFull = regexp.MustCompile(`no space left on device|not enough free disk space`)
	// badgerFault is the death of a process in what Badger writes through mapped files of its own.
	badgerFault = regexp.MustCompile(`\[signal SIGBUS[^\n]*\n\s*\n\s*goroutine [^\n]*\[running\]:\n` +
		`(\s*(runtime|encoding/binary|hash/crc32|sync/atomic)\.[^\n]*\n[^\n]*\n)+\s*github\.com/dgraph-io/`)
)

// tryOnFullDisk runs a command, which must end with exit code 0, or 1 and a
// message about the disk, or die in Badger. It returns what the command wrote to stderr.
func tryOnFullDisk(t *testing.T, args ...string) (done bool, log string) {
	t.Helper()
	p := newProcess(t, args...)
	killed := time.AfterFunc(3*time.Minute, func() { _ = p.Process.Kill() })
	err := p.Run()
	hung := !killed.Stop()
	log = p.stderr.String()
	switch code := p.ProcessState.ExitCode(); {
	case hung:
		t.Fatalf("%v hangs\n%s", args, log)
	case badgerFault.MatchString(log):
	case code != 0 && code != 1:
		t.Fatalf("%v: %v\n%s", args, err, log)
	case crashed.MatchString(log):
		t.Fatalf("%v: not the words for a full disk\n%s", args, log)
	case code == 1 && !diskFull.MatchString(log):
		t.Fatalf("%v fails of another thing than a full disk\n%s", args, log)
	}
	return err == nil, log
}

// TestRunsOnFullDisk runs jobs with checkpoints on a disk that another process
// fills and empties. They go on and give the right results, or end with an error
// and are resumed. GARAPH_DISK is the number of runs, and of imports in the next
// test.
func TestRunsOnFullDisk(t *testing.T) {
	disk := tinydisk.Mount(t, 72<<20)
	first, graph := filepath.Join(memoryDir(t), "graph"), filepath.Join(disk, "graph")
	importSmallShards(t, first, 14)
	if err := os.CopyFS(graph, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	var wants [][]byte
	lines := []string{
		"pagerank --iterations 60 --precision 64 --checkpoint-every 1",
		"sssp --source 0 --checkpoint-every 1",
		"sswp --source 0 --mode async --checkpoint-pages 1",
		"kcore --k 12 --memory 68MiB --checkpoint-every 1",
		"bfs --source 0 --device gpu --gpu emulated --checkpoint-every 1",
	}
	for _, line := range lines {
		args := strings.Fields(line)
		wants = append(wants, runTo(t, append([]string{"run", args[0], graph}, args[1:]...)))
	}
	ended, warned := 0, 0
	for n := range diskRounds() {
		folder := t.TempDir()
		if n%4 == 3 { // results on the disk that is full
			folder = filepath.Join(disk, "out")
			if err := os.MkdirAll(folder, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		out := filepath.Join(folder, "out.tsv")
		args := strings.Fields(lines[n%len(lines)])
		stop := tinydisk.Neighbour(t, disk, 60*time.Millisecond, 120*time.Millisecond, uint64(n))
		done, log := tryOnFullDisk(t, append([]string{"run", args[0], graph, "--output", out, "-v"}, args[1:]...)...)
		stop()
		if strings.Contains(log, "older checkpoints stay") {
			warned++
		}
		if badgerFault.MatchString(log) {
			t.Fatal(log)
		}
		if left := append(jobsIn(t, graph, checkpoint.Interrupted), jobsIn(t, graph, checkpoint.Failed)...); done &&
			len(left) > 0 && !strings.Contains(log, "write the record of job") {
			t.Fatalf("unfinished jobs: %v\n%s", left, log)
		} else if len(left) > 0 { // the next command
			p := newProcess(t, "resume", graph, "--output", out)
			if err := p.Run(); err != nil {
				t.Fatalf("resume: %v\n%s\nafter\n%s", err, p.stderr.String(), log)
			}
			done = true
		}
		if got, err := os.ReadFile(out); done && (err != nil || !bytes.Equal(got, wants[n%len(lines)])) {
			t.Fatalf("%v: another result (%v)\n%s", args, err, log)
		}
		if done {
			ended++
			// the next command
		} else if p := newProcess(t,
			append([]string{"run", args[0], graph, "--output", out}, args[1:]...)...); p.Run() != nil {
			t.Fatalf("%s\nafter\n%s", p.stderr.String(), log)
		}
		if err := os.Remove(out); err != nil {
			t.Error(err)
		}
		expectFiles(t, log, folder)
		expectFiles(t, log, graph, "GARAPH", "payload", "db", "jobs")
		expectFiles(t, log, filepath.Join(graph, "jobs"), "[0-9]*")
		expectFiles(t, log, filepath.Join(graph, "jobs", "[0-9]*"), "JOB", "LOCK")
		_ = os.Remove(filepath.Join(disk, "out"))
		expectFiles(t, log, disk, "graph")
	}
	t.Logf("%d runs: %d ended, also by resume, %d went on without a checkpoint", diskRounds(), ended, warned)
}

// TestImportsOnFullDisk imports graphs to a disk that another process fills and
// empties: whole and right, or not at all, with the older graph as it was.
func TestImportsOnFullDisk(t *testing.T) {
	disk := tinydisk.Mount(t, 200<<20)
	graph, edges := filepath.Join(disk, "graph"), edgeFile(t, 15)
	first := filepath.Join(memoryDir(t), "graph")
	if p := newProcess(t, "import", edges, first); p.Run() != nil {
		t.Fatal(p.stderr.String())
	}
	query := []string{"pagerank", "--iterations", "3", "--precision", "64"}
	want := runTo(t, append([]string{"run", query[0], first}, query[1:]...))
	ended, died, there := 0, 0, false
	for n := range diskRounds() {
		args := []string{"import", edges, graph, "--force"}
		if n%2 == 1 {
			args = append(args, "--memory", "192MiB")
		}
		stop := tinydisk.Neighbour(t, disk, 5*time.Millisecond, 600*time.Millisecond, uint64(n))
		done, log := tryOnFullDisk(t, args...)
		stop()
		if badgerFault.MatchString(log) { // the next import removes what is left
			died++
			continue
		}
		if done {
			ended++
			there = true
		}
		if !there {
			expectFiles(t, log, disk)
			continue
		}
		expectFiles(t, log, disk, "graph")
		if got := runTo(t, append([]string{"run", query[0], graph}, query[1:]...)); !bytes.Equal(got, want) {
			t.Fatalf("another result; import said\n%s", log)
		}
		if n%3 == 0 { // the next has none to replace
			there = false
			if err := os.RemoveAll(graph); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d imports: %d ended; %d died in Badger", diskRounds(), ended, died)
}

// expectFiles compares the files in folders, which a pattern names, with patterns
// of those that may be there.
func expectFiles(t *testing.T, log, folders string, may ...string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(folders, "*"))
	hidden, _ := filepath.Glob(filepath.Join(folders, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(list, hidden...) {
		if !slices.ContainsFunc(may, func(pattern string) bool {
			ok, _ := filepath.Match(pattern, filepath.Base(name))
			return ok
		}) {
			t.Fatalf("%s was left after\n%s", name, log)
		}
	}
}
