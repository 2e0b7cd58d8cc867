package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/testsize"
)

// killedCommand is a command that writes, to be killed at a random moment. It and
// those after it run in a folder of their own, whose folder tmp is for temporary
// files.
type killedCommand struct {
	name string
	line string // the command
	// next are the commands after it, which must be successful. One of them records a
	// job where jobs are left, for that tidies them. One with a ? is
	// run where an unfinished job is left.
	next []string
	// belongs are patterns of the files that may be there then (those of a killed go
	// command are its own), beside those that
	// were there before; all of the files of whole must be there.
	belongs, whole string
	slow           bool // it is killed less often
}

// graphFiles are those of a graph beside its jobs, jobFiles those of jobs that
// are done.
const (
	graphFiles = `g/(GARAPH|payload|db/(MANIFEST|KEYREGISTRY|DISCARD|\d+\.sst|\d+\.vlog))|\.g\.lock`
	jobFiles   = `g/jobs/\d+/(JOB|LOCK|PROGRESS)`
)

var killedCommands = []killedCommand{
	{name: "import", line: "import e.txt new", next: []string{"import --force e.txt new"},
		belongs: `new/(GARAPH|payload|db/(MANIFEST|KEYREGISTRY|DISCARD|\d+\.sst|\d+\.vlog))|\.new\.lock`,
		whole:   "new/GARAPH"},
	{name: "import --force", line: "import --force e.txt g", next: []string{"import --force e.txt g"},
		belongs: graphFiles, whole: "g/GARAPH"},
	{name: "run tsv", line: "run pagerank g --output o.tsv", next: []string{"?resume g", "run pagerank g --output o.tsv"},
		belongs: jobFiles, whole: "o.tsv"},
	{name: "run parquet", line: "run bfs g --source 0 --output o.parquet",
		next: []string{"?resume g", "run bfs g --source 0 --output o.parquet"}, belongs: jobFiles, whole: "o.parquet"},
	{name: "run with report and trace", line: "run pagerank g --output o.tsv --report r.html --trace t.json",
		next: []string{"?resume g", "run pagerank g --output o.tsv --report r.html --trace t.json"}, belongs: jobFiles,
		whole: "o.tsv r.html t.json"},
	{name: "run with checkpoints", line: "run pagerank g --checkpoint-every 1 --iterations 30 --output o.tsv",
		next: []string{"?resume g", "run pagerank g --output o.tsv"}, belongs: jobFiles, whole: "o.tsv"},
	{name: "run that measures", line: "run pagerank g --device hybrid --gpu emulated --checkpoint-every 2 --output o.tsv",
		next: []string{"?resume g", "run pagerank g --device hybrid --gpu emulated --output o.tsv"}, belongs: jobFiles,
		whole: "o.tsv"},
	{name: "resume", line: "resume g --checkpoint-every 1", next: []string{"?resume g", "run pagerank g --output o.tsv"},
		belongs: jobFiles, whole: "interrupted.tsv o.tsv"},
	{name: "community",
		line: "community g --queries q.txt --max-size 9 --min-size 5 --time-limit 200ms --checkpoint-interval 20ms " +
			"--output o.csv",
		next: []string{"?resume g", "community g --query 0 --max-size 5 --output o.csv"}, belongs: jobFiles, whole: "o.csv"},
	{name: "community on a GPU",
		line: "community g --queries q.txt --max-size 6 --time-limit 300ms --device gpu --gpu emulated --checkpoint-every " +
			"1 --output o.csv",
		next: []string{"?resume g", "community g --query 0 --max-size 5 --output o.csv"}, belongs: jobFiles, whole: "o.csv"},
	{name: "run of an algorithm", line: "run betweenness g --samples 60 --checkpoint-every 1 --output o.tsv",
		next: []string{"?resume g", "run betweenness g --samples 6 --output o.tsv"}, belongs: jobFiles, whole: "o.tsv"},
	{name: "jobs rm", line: "jobs rm g 1 2",
		next: []string{"?jobs rm g 1", "?jobs rm g 2", "run pagerank g --output o.tsv"}, belongs: jobFiles, whole: "o.tsv"},
	{name: "jobs rm alone", line: "jobs rm g 1 2", next: []string{"!jobs rm g 1 2"}, belongs: jobFiles},
	{name: "run over edges", line: "run wcc e.txt --output o.tsv",
		next: []string{"run wcc e.txt --output o.tsv"}, whole: "o.tsv"},
	{name: "export", line: "export g --output o.tsv.gz", next: []string{"export g --output o.tsv.gz"}, whole: "o.tsv.gz"},
	{name: "export in parts", line: "export g --output o.csv.gz/ --parts 3",
		next: []string{"export g --output n.csv.gz/ --parts 2"}, belongs: `o\.csv\.gz/part-0000[0-2]\.csv\.gz`,
		whole: "n.csv.gz/part-00000.csv.gz n.csv.gz/part-00001.csv.gz"},
	{name: "subgraph", line: "subgraph g --source 0 --hops 3 --output new",
		next:    []string{"subgraph g --source 0 --hops 3 --output new --force", "verify new"},
		belongs: `new/(GARAPH|payload|db/(MANIFEST|KEYREGISTRY|DISCARD|\d+\.sst|\d+\.vlog))|\.new\.lock`,
		whole:   "new/GARAPH"},
	{name: "run with parents", line: "run sssp g --source 0 --parents --output o.csv",
		next: []string{"?resume g", "run sssp g --source 0 --parents --output o.csv"}, belongs: jobFiles, whole: "o.csv"},
	{name: "generate", line: "generate rmat --scale 14 --output new.txt",
		next: []string{"generate rmat --scale 14 --output new.txt --force"}, whole: "new.txt"},
	{name: "bench gpu", line: "bench gpu g --gpu emulated --rounds 1",
		next: []string{"bench gpu g --gpu emulated --rounds 1"}, slow: true},
	{name: "bench", line: "bench g --rounds 1 --programs bfs --memory 80MiB",
		next: []string{"bench g --rounds 1 --programs bfs --memory 80MiB"}, slow: true},
	{name: "new", line: "new widest --garaph ROOT",
		next: []string{"!new widest --garaph ROOT"}, belongs: `widest/(go\.mod|go\.sum|main\.go|widest\.go|widest_test\.go)`,
		whole: "widest/go.mod widest/go.sum widest/main.go widest/widest.go widest/widest_test.go"},
	{name: "compile", line: "compile ./module", next: []string{"compile ./module"}, belongs: `tmp/go-build\d+(/.*)?`,
		whole: "module/odd_garaph.go", slow: true},
}

// TestKillCommands kills every command that writes, at random moments, with
// SIGKILL: after the next command, nothing is left but what belongs there.
// GARAPH_KILLS is the number of kills.
func TestKillCommands(t *testing.T) {
	skipKills(t)
	t.Parallel()
	kills := killsOf(2 * len(killedCommands))
	k := &commandKiller{
		t: t, dir: memoryDir(t), rng: rand.New(rand.NewPCG(uint64(kills), 11)), took: map[string]time.Duration{},
		hits: map[string]int{},
	}
	k.prepare()
	for n := 0; k.kills < kills; n++ {
		c := killedCommands[n%len(killedCommands)]
		if c.slow && (testing.Short() || !testsize.Long || n/len(killedCommands)%4 != 0) {
			continue
		}
		k.kill(c)
	}
	if kills >= 300 {
		for _, c := range killedCommands {
			for range 10 {
				if k.hits[c.name] == 0 {
					k.kill(c)
				}
			}
			if k.hits[c.name] == 0 {
				t.Errorf("%s was not killed in the middle", c.name)
			}
		}
	}
	t.Logf("%d kills, of which in the middle: %v", k.kills, k.hits)
}

// TestKillRemoval checks that whatever a removal of jobs had done when it was killed, nothing is left of them
// after the next commands.
func TestKillRemoval(t *testing.T) {
	skipKills(t)
	t.Parallel()
	k := &commandKiller{t: t, dir: memoryDir(t)}
	k.prepare()
	h := &hostile{t: t}
	for _, c := range killedCommands {
		if c.line != "jobs rm g 1 2" {
			continue
		}
		for at := range 6 {
			k.begin()
			before := k.list()
			for job := 1; job <= 2; job++ {
				folder := k.work("g", "jobs", fmt.Sprint(job))
				steps := []func(){
					func() { h.must(os.Remove(filepath.Join(folder, "JOB"))) },
					func() { h.must(os.RemoveAll(folder)); h.must(os.Mkdir(folder, 0o777)) },
					func() { h.must(os.Remove(folder)) },
				}
				for i, step := range steps {
					if i+len(steps)*(job-1) <= at {
						step()
					}
				}
			}
			k.check(c, before, fmt.Sprintf("%s, killed at point %d", c.name, at))
		}
	}
}

// commandKiller kills commands.
type commandKiller struct {
	t     *testing.T
	dir   string // sound is what each begins with, work where it runs
	rng   *rand.Rand
	took  map[string]time.Duration // by command, undisturbed
	kills int
	hits  map[string]int // kills before the end, by command
}

func (k *commandKiller) work(of ...string) string {
	return filepath.Join(append([]string{k.dir, "work"}, of...)...)
}

// prepare makes what commands begin with: edges, a graph with an interrupted job
// and one that is done, and a module with a program.
func (k *commandKiller) prepare() {
	h := &hostile{t: k.t, dir: k.dir}
	h.must(os.MkdirAll(k.work("tmp"), 0o777))
	h.must(os.WriteFile(k.work("q.txt"), []byte("0\n1\n2\n3\n5\n"), 0o666))
	for _, line := range []string{
		"generate rmat --scale 13 --degree 8 --seed 3 --output e.txt", "import e.txt g", "import e.txt old --layout csc",
		"run pagerank g --iterations 20 --output done.tsv",
	} {
		k.run(line)
	}
	interrupt(k.t, k.work("g"), 4, "--iterations", "30", "--checkpoint-every", "1", "--output", k.work("interrupted.tsv"))
	root, err := filepath.Abs("../../..")
	h.must(err)
	h.must(os.Mkdir(k.work("module"), 0o777))
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	h.must(err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	h.must(err)
	_, requires, _ := strings.Cut(string(mod), "\nrequire")
	h.must(os.WriteFile(k.work("module", "go.mod"), []byte("module odd\n\ngo 1.26.0\n\nrequire github.com/garaph/garaph "+
		"v0.0.0\n\nreplace github.com/garaph/garaph => "+root+"\n\nrequire"+requires), 0o666))
	h.must(os.WriteFile(k.work("module", "go.sum"), sum, 0o666))
	h.must(os.WriteFile(k.work("module", "odd.go"), []byte(oddProgram), 0o666))
	h.must(os.Rename(k.work(), filepath.Join(k.dir, "sound")))
}

const oddProgram = `package odd

import "github.com/garaph/garaph/gas"

// Odd counts in-edges.
type Odd struct{}

func (Odd) Init(gas.Vertex) (uint32, bool)                       { return 0, true }
func (Odd) Zero() uint32                                         { return 0 }
func (Odd) Gather(uint32, gas.Edge, uint32) uint32               { return 1 }
func (Odd) Sum(a, b uint32) uint32                               { return a + b }
func (Odd) Apply(_ gas.Vertex, _, acc uint32, _ gas.Step) uint32 { return acc }
func (Odd) Activate(_ gas.Vertex, old, now uint32) bool          { return old != now }
`

// process is one of a command line, in the folder where it is to run.
func (k *commandKiller) process(line string) *process {
	root, _ := filepath.Abs("../../..")
	p := newProcess(k.t, strings.Fields(strings.ReplaceAll(line, "ROOT", root))...)
	p.Dir = k.work()
	if strings.HasPrefix(line, "compile") {
		p.Args[2], p.Dir = ".", k.work("module")
	}
	p.Env = append(p.Env, "TMPDIR="+k.work("tmp"), "GOFLAGS=-mod=mod", "GOPROXY=off")
	return p
}

// run runs a command that must be successful.
func (k *commandKiller) run(line string) {
	k.t.Helper()
	if p := k.process(line); p.Run() != nil {
		k.t.Fatalf("%s: %v\n%s", line, p.ProcessState, p.stderr.String())
	}
}

// begin makes the folder as it was.
func (k *commandKiller) begin() {
	h := &hostile{t: k.t}
	h.must(os.RemoveAll(k.work()))
	h.must(copyTree(filepath.Join(k.dir, "sound"), k.work()))
	h.moveIn(k.work("g"))
}

// kill kills a command, and looks at what is there after those that follow.
func (k *commandKiller) kill(c killedCommand) {
	t := k.t
	took, known := k.took[c.name]
	if !known {
		k.begin()
		begin := time.Now()
		k.run(c.line)
		took = time.Since(begin)
		k.took[c.name] = took
	}
	k.begin()
	before := k.list()
	p := k.process(c.line)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	after := time.Duration(k.rng.Float64() * 1.1 * float64(took))
	time.Sleep(after)
	_ = p.Process.Kill()
	k.kills++
	if err := p.Wait(); err != nil && p.ProcessState.ExitCode() == -1 {
		k.hits[c.name]++
	}
	k.check(c, before,
		fmt.Sprintf("%s, killed after %v of %v", c.name, after.Round(time.Millisecond), took.Round(time.Millisecond)))
}

// check runs the commands that follow a kill, and looks at what is there then.
func (k *commandKiller) check(c killedCommand, before []string, what string) {
	t := k.t
	for _, line := range c.next {
		k.after(line, what)
	}
	// a resumed job may be that of the sound graph
	belongs := regexp.MustCompile("^(interrupted\\.tsv|" + c.belongs + ")$")
	now := k.list()
	for _, name := range now {
		if !slices.Contains(before, name) && !belongs.MatchString(name) && !slices.Contains(strings.Fields(c.whole), name) {
			t.Errorf("%s: %s is left", what, name)
		}
	}
	for name := range strings.FieldsSeq(c.whole) {
		if !slices.Contains(now, name) {
			t.Errorf("%s: there is no %s", what, name)
		}
	}
	if b, err := os.ReadFile(k.work("g", "GARAPH")); err != nil || !bytes.HasPrefix(b, []byte("garaph graph")) {
		t.Errorf("%s: the graph is gone: %v", what, err)
	}
}

// after runs one of the commands that follow a kill. One with a ! may find all
// done.
func (k *commandKiller) after(line, what string) {
	k.t.Helper()
	if left, conditional := strings.CutPrefix(line, "?"); conditional {
		line = left
		if jobs := jobsIn(k.t, k.work("g"), checkpoint.Interrupted); line == "resume g" && len(jobs) == 0 {
			return
		}
		if fields := strings.Fields(line); fields[0] == "jobs" {
			if _, err := os.Stat(k.work("g", "jobs", fields[3])); err != nil {
				return
			}
		}
	}
	line, may := strings.CutPrefix(line, "!")
	if p := k.process(line); p.Run() != nil && !may {
		k.t.Errorf("%s: then %s: %v\n%s", what, line, p.ProcessState, p.stderr.String())
	}
}

// list lists the files in the folder, and those in tmp.
func (k *commandKiller) list() (list []string) {
	_ = filepath.WalkDir(k.work(), func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(k.work(), path)
		if err == nil && (!e.IsDir() || strings.HasPrefix(rel, "tmp/")) {
			list = append(list, rel)
		}
		return nil
	})
	return list
}
