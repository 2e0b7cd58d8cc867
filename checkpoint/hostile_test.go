package checkpoint

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/beneath"
)

// ended makes a job that was interrupted.
func ended(t *testing.T, jobs string) (folder string) {
	t.Helper()
	j := begun(t, jobs)
	writeEpoch(t, j, random(5, 100, 4))
	if err := j.End(Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	return j.folder()
}

// asRecord returns a line of JSON with the head and the checksum of a record.
func asRecord(head, line string) []byte {
	text := head + line + "\n"
	return fmt.Appendf(nil, "%s%08x JOB\n", text, crc32.Checksum([]byte(text), castagnoli))
}

// TestForgedRecords checks that a record with a sound checksum is refused where it holds
// what no job has, and nothing of it is printed as it is.
func TestForgedRecords(t *testing.T) {
	jobs := memoryDir(t)
	name := filepath.Join(ended(t, jobs), recordFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Split(string(whole), "\n")[1]
	change := func(old, new string) string {
		t.Helper()
		if !strings.Contains(line, old) {
			t.Fatalf("no %s in %s", old, line)
		}
		return strings.Replace(line, old, new, 1)
	}
	for _, c := range []struct{ line, says string }{
		{change(`"interrupted"`, `"asleep"`), `the status "asleep" is unknown`},
		{change(`"interrupted"`, `"\u001b[2J"`), `\x1b[2J`},
		{change(`"iteration":0`, `"iteration":-1`), "negative"},
		{change(`"iteration":0`, `"iteration":9000000000000000000`), "9000000000000000000 iterations"},
		{change(`"iteration":0`, `"iteration":"\u001b[2J"`), "cannot unmarshal"},
		{change(`"epoch":1`, `"epoch":-1`), "negative"},
		{change(`"checkpoints":{}`, `"checkpoints":{"keep":-1}`), "negative"},
		{change(`"name":"sssp"`, `"name":"sssp","output":"out.tsv"`), "no absolute path"},
		{change(`"name":"sssp"`, `"name":"sssp","output":"/a\u0000b"`), "no absolute path"},
		{change(`"name":"sssp"`, `"name":"sssp","from":"here"`), "no absolute path"},
		{change(`"created":"`, `"created":"\u001b`), "damaged"},
		{`null`, `the status "" is unknown`},
		{`[]`, "cannot unmarshal"},
		{``, "unexpected end"},
	} {
		if err := os.WriteFile(name, asRecord(recordHead, c.line), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := List(jobs)
		if err != nil || len(list) != 1 || !errors.Is(list[0].Err, ErrDamaged) ||
			!strings.Contains(list[0].Err.Error(), c.says) || strings.ContainsAny(list[0].Err.Error(), "\x1b\n") {
			t.Errorf("%.200s: %+v, %v", c.line, list, err)
		}
		if j, err := OpenJob(jobs, 1); !errors.Is(err, ErrDamaged) ||
			!strings.Contains(err.Error(), "`garaph jobs rm` removes it") {
			t.Errorf("%.200s: opened %v, %v", c.line, j, err)
		}
	}
	if err := os.WriteFile(name, asRecord("garaph job, version 2\n", line), 0o666); err != nil { // another version
		t.Fatal(err)
	}
	if _, err := OpenJob(jobs, 1); !errors.Is(err, ErrVersion) ||
		!strings.Contains(err.Error(), "resume it with that, or run it again; `garaph jobs rm` removes it") {
		t.Errorf("version 2: %v", err)
	}
	if _, _, err := newest(jobs); !errors.Is(err, ErrVersion) {
		t.Errorf("version 2: %v", err)
	}
	if _, err := Remove(jobs, 1); err != nil {
		t.Error(err)
	}
}

// TestSparse checks that the sizes of files are looked at before they are read.
func TestSparse(t *testing.T) {
	jobs := memoryDir(t)
	folder := ended(t, jobs)
	epoch := filepath.Join(folder, epochName(1))
	for _, name := range []string{"JOB", "LOCK", "PROGRESS", "EPOCH", "VALUES"} {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err != nil && name != progressFile {
			path = filepath.Join(epoch, name)
		}
		was, _ := os.ReadFile(path)
		if err := errors.Join(os.WriteFile(path, was, 0o666), os.Truncate(path, 1<<42)); err != nil {
			t.Fatal(err)
		}
		soon(t, name, func() {
			list, err := List(jobs)
			if err != nil || len(list) != 1 || (list[0].Err != nil) != (name == recordFile) {
				t.Errorf("%s: %+v, %v", name, list, err)
			}
			j, err := OpenJob(jobs, 1)
			if err == nil {
				if err = j.Begin(someone, Policy{}); err == nil {
					_, err = j.Restore(t.Context(), new(memory))
				}
				err = errors.Join(err, j.End(Interrupted, nil))
			}
			if ok := name == lockFile || name == progressFile; ok && err != nil || !ok && !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %v", name, err)
			}
		})
		if err := os.WriteFile(path, was, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLinks checks that where a link stands in the place of the folder of jobs, of a job, of
// an epoch or of a file, nothing behind it is read, changed or removed.
func TestLinks(t *testing.T) {
	for _, link := range []string{".", "1", "1/epoch-00000001", "1/JOB", "1/LOCK", "1/.JOB", "1/PROGRESS",
		"1/epoch-00000001/VALUES", "1/epoch-00000001/EPOCH"} {
		t.Run(strings.ReplaceAll(link, "/", " "), func(t *testing.T) {
			jobs, away := filepath.Join(memoryDir(t), "jobs"), filepath.Join(memoryDir(t), "away")
			ended(t, jobs)
			path := filepath.Join(jobs, link)
			if _, err := os.Stat(path); err != nil {
				if err := os.WriteFile(path, []byte("the user's"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := copyAway(path, away); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.RemoveAll(path), os.Symlink(away, path)); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, away)
			soon(t, link, func() {
				_, _ = List(jobs)
				_ = Idle(jobs)
				if j, err := OpenJob(jobs, 1); err == nil {
					if err := j.Begin(someone, Policy{Keep: 1}); err == nil {
						_, _ = j.Restore(t.Context(), new(memory))
						j.Progress(3)
						s := random(6, 100, 4)
						_, _ = j.Epochs().Write(t.Context(), s.state, s)
					}
					_ = j.End(Done, nil)
				}
				j := NewJob(jobs, Spec{}, Policy{})
				if err := j.Begin(someone, Policy{}); err == nil {
					_ = j.End(Done, nil)
				} else if link != "." || !errors.Is(err, beneath.ErrKind) {
					t.Errorf("a new job: %v", err)
				}
				_, _ = Remove(jobs, 1)
			})
			if after := snapshot(t, away); !slices.Equal(before, after) {
				t.Errorf("behind the link there is\n%s\nand was\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
			}
		})
	}
}

func copyAway(from, to string) error {
	if info, err := os.Stat(from); err != nil || info.IsDir() {
		return errors.Join(err, os.CopyFS(to, os.DirFS(from)))
	}
	b, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, b, 0o666))
}

// snapshot lists what lies at a path, with its bytes.
func snapshot(t *testing.T, path string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(path, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var b []byte
		if e.Type().IsRegular() {
			b, err = os.ReadFile(path)
		}
		all = append(all, fmt.Sprintf("%s %s %x", path, e.Type(), crc32.ChecksumIEEE(b)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestKilledRemoval checks that what a killed removal, or the making of a job, left is no job, and
// goes with the next removal or the next job.
func TestKilledRemoval(t *testing.T) {
	jobs := memoryDir(t)
	folder := ended(t, jobs)
	whole := filepath.Join(memoryDir(t), "whole")
	if err := os.CopyFS(whole, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	files := []string{recordFile} // in the order in which they go
	err := filepath.WalkDir(whole, func(path string, e os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(whole, path); err == nil && !e.IsDir() && rel != recordFile && rel != lockFile {
			files = append(files, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, lockFile)
	for n := 1; n < len(files); n++ {
		for i, again := range []func() error{
			func() error { _, err := Remove(jobs, 1); return err },
			func() error { _, err := Remove(jobs); return err },
			func() error { return begun(t, jobs).Close() },
		} {
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(folder, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			for _, name := range files[:n] {
				if err := os.Remove(filepath.Join(folder, name)); err != nil {
					t.Fatal(err)
				}
			}
			if list, err := List(jobs); err != nil || len(list) > 0 {
				t.Errorf("%d files were gone: listed are %+v, %v", n, list, err)
			}
			if _, err := OpenJob(jobs, 1); !errors.Is(err, ErrNoJob) {
				t.Errorf("%d files were gone: opened: %v", n, err)
			}
			if err := again(); err != nil {
				t.Errorf("%d files were gone: %v", n, err)
			}
			if left, err := filepath.Glob(folder + "/epoch*"); err != nil || len(left) > 0 {
				t.Errorf("%d files were gone, %d: left are %v, %v", n, i, left, err)
			}
			if _, err := os.Stat(folder); i < 2 && err == nil {
				t.Errorf("%d files were gone, %d: the folder is left", n, i)
			}
		}
	}
}

// TestCheckOwn checks that a record is the user's own where it was made, and nowhere else.
func TestCheckOwn(t *testing.T) {
	jobs := t.TempDir()
	j := begun(t, jobs)
	if err := j.CheckOwn(); err != nil {
		t.Errorf("a new one: %v", err)
	}
	if err := j.End(Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(jobs, moved); err != nil {
		t.Fatal(err)
	}
	if err := ownOf(t, moved); err != nil {
		t.Errorf("one that was moved: %v", err)
	}
	copied := filepath.Join(t.TempDir(), "copied")
	if err := os.CopyFS(copied, os.DirFS(moved)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(copied, "1/JOB"), 0o600); err != nil { // whatever the umask
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(copied, "1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := ownOf(t, copied); err == nil || !strings.Contains(err.Error(), "was not made here") {
		t.Errorf("one that was copied: %v", err)
	}
	for _, name := range []string{"1/JOB", "1"} {
		path := filepath.Join(moved, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode()&0o022 != 0 {
			t.Errorf("others can write to %s", name)
		}
		if err := os.Chmod(path, info.Mode()|0o020); err != nil {
			t.Fatal(err)
		}
		if err := ownOf(t, moved); err == nil || !strings.Contains(err.Error(), "other users can write") {
			t.Errorf("%s that others can write: %v", name, err)
		}
		if err := os.Chmod(path, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	record := filepath.Join(moved, "1/JOB")
	text, err := os.ReadFile(record)
	if err == nil {
		err = errors.Join(os.WriteFile(record+"2", text, 0o644), os.Rename(record+"2", record))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := ownOf(t, moved); err == nil || !strings.Contains(err.Error(), "was not made here") {
		t.Errorf("one whose record was brought here: %v", err)
	}
	if os.Geteuid() != 0 {
		return
	}
	for _, name := range []string{"1/JOB", "1"} {
		if err := os.Chown(filepath.Join(moved, name), 4321, -1); err != nil {
			t.Fatal(err)
		}
		other, err := openJobs(moved)
		if err != nil {
			t.Fatal(err)
		}
		at, err := other.Folder("1")
		if err != nil {
			t.Fatal(err)
		}
		if err := (&Job{at: at}).CheckOwn(); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Errorf("%s of another user: %v", name, err)
		}
		if err := errors.Join(os.Chown(filepath.Join(moved, name), 0, -1), at.Close(), other.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// ownOf opens job 1 and returns what CheckOwn says before it begins.
func ownOf(t *testing.T, jobs string) error {
	t.Helper()
	j, err := OpenJob(jobs, 1)
	if err != nil {
		t.Fatal(err)
	}
	return errors.Join(j.CheckOwn(), j.Close())
}
