package cli

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// forge GRAPH JOB FIELD=JSON... changes fields of a job's record, and puts the
// checksum right: anybody can. A field of an object is OBJECT.FIELD.
func forge(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(filepath.Join(args[0], "jobs", args[1], "JOB"))
	b, err := os.ReadFile(name)
	ts.Check(err)
	head, rest, _ := strings.Cut(string(b), "\n")
	line, _, _ := strings.Cut(rest, "\n")
	var record map[string]any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	ts.Check(d.Decode(&record))
	for _, arg := range args[2:] {
		path, text, _ := strings.Cut(arg, "=")
		var value any
		ts.Check(json.Unmarshal([]byte(text), &value))
		into := record
		if object, field, ok := strings.Cut(path, "."); ok {
			if record[object] == nil {
				record[object] = map[string]any{}
			}
			into, path = record[object].(map[string]any), field
		}
		into[path] = value
	}
	changed, err := json.Marshal(record)
	ts.Check(err)
	text := fmt.Sprintf("%s\n%s\n", head, changed)
	text += fmt.Sprintf("%08x JOB\n", crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli)))
	ts.Check(os.WriteFile(name, []byte(text), 0o666))
}

// odd KIND FILE puts a FIFO, or a sparse file of 1 TiB, in the place of a file.
func odd(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[1])
	ts.Check(os.RemoveAll(name))
	if args[0] == "fifo" {
		ts.Check(unix.Mkfifo(name, 0o666))
		return
	}
	ts.Check(os.WriteFile(name, nil, 0o666))
	ts.Check(os.Truncate(name, 1<<40))
}

// received GRAPH TO copies a graph, as one that was received.
func received(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}
