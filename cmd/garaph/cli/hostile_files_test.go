package cli

import (
	"bytes"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// mutation does something to a graph's folder, and says what; "" where there was
// nothing that it could be done to. It draws from r alone, so that a case is the
// same when it is run again.
type mutation struct {
	name string
	do   func(c *hostileCase, r *rand.Rand) string
}

// mutations is set here and not where it is declared, since mutations look at it.
var mutations []mutation

func init() {
	mutations = slices.Concat(fileMutations(), recordMutations())
}

func fileMutations() []mutation {
	return []mutation{
		bytesMutation("flip", func(b []byte, r *rand.Rand) []byte {
			for range 1 + r.IntN(8) {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
			return b
		}),
		bytesMutation("insert", func(b []byte, r *rand.Rand) []byte {
			at := r.IntN(len(b))
			return bytes.Join([][]byte{b[:at], randomBytes(r, 1+r.IntN(100)), b[at:]}, nil)
		}),
		bytesMutation("delete", func(b []byte, r *rand.Rand) []byte {
			from := r.IntN(len(b))
			return append(b[:from:from], b[min(len(b), from+1+r.IntN(100)):]...)
		}),
		bytesMutation("truncate", func(b []byte, r *rand.Rand) []byte { return b[:r.IntN(len(b))] }),
		bytesMutation("append", func(b []byte, r *rand.Rand) []byte { return append(b, randomBytes(r, 1+r.IntN(5000))...) }),
		bytesMutation("zero", func(b []byte, r *rand.Rand) []byte {
			from := r.IntN(len(b))
			clear(b[from:min(len(b), from+1+r.IntN(4096))])
			return b
		}),
		{"link", link},
		{"link outside a folder", linkFolder},
		{"fifo", special(func(name string) error { return syscall.Mkfifo(name, 0o666) })},
		{"socket", special(socket)},
		// zero
		{"device", special(func(name string) error { return syscall.Mknod(name, syscall.S_IFCHR|0o666, 1<<8|5) })},
		{"folder for a file", special(func(name string) error { return os.Mkdir(name, 0o777) })},
		{"file for a folder", fileForFolder},
		{"sparse", sparse},
		{"no permission", func(c *hostileCase, r *rand.Rand) string {
			return c.at(anyOf(r, c.list(true)), func(name string) error { return os.Chmod(name, 0) })
		}},
		{"remove", func(c *hostileCase, r *rand.Rand) string { return c.at(anyOf(r, c.list(true)), os.RemoveAll) }},
		{"rename", rename},
		{"copy", duplicate},
		{"a user's folder that looks like ours", looksLikeOurs},
		{"odd names", oddNames},
	}
}

// list lists what is in the graph's folder, by paths in it: files, and folders
// where they are asked for, in the order of their names.
func (c *hostileCase) list(folders bool) (list []string) {
	c.h.must(filepath.WalkDir(c.path(), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(c.path(), path)
		if _, mine := c.mine[e.Name()]; rel != "." && !mine && (folders || e.Type().IsRegular()) && len(rel) < 200 {
			list = append(list, rel)
		}
		return nil
	}))
	return list
}

// at does something to a file or folder of the graph, and names it.
func (c *hostileCase) at(rel string, do func(name string) error) string {
	if rel == "" {
		return ""
	}
	if err := do(c.path(rel)); err != nil {
		return ""
	}
	return rel
}

func anyOf[T any](r *rand.Rand, list []T) (one T) {
	if len(list) > 0 {
		one = list[r.IntN(len(list))]
	}
	return one
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// bytesMutation changes the bytes of a file. Every other time it puts right what
// sums them up, so that what is behind checksums is reached.
func bytesMutation(name string, change func(b []byte, r *rand.Rand) []byte) mutation {
	return mutation{name, func(c *hostileCase, r *rand.Rand) string {
		rel := anyOf(r, c.list(false))
		what := c.at(rel, func(name string) error {
			b, err := readSmall(name)
			if err != nil || len(b) == 0 {
				return cmpErr(err)
			}
			return writeInPlace(name, change(b, r))
		})
		if what == "" || r.IntN(2) == 0 || !c.sumAgain(rel) {
			return what
		}
		return what + ", summed up again"
	}}
}

func cmpErr(err error) error {
	if err == nil {
		err = fs.ErrInvalid
	}
	return err
}

// readSmall reads a file that was not made huge.
func readSmall(name string) ([]byte, error) {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > 16<<20 {
		return nil, fs.ErrInvalid
	}
	return os.ReadFile(name)
}

// writeInPlace writes a file that may not be opened by who has no permission.
func writeInPlace(name string, b []byte) error {
	if err := os.Remove(name); err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o666)
}

func rename(c *hostileCase, r *rand.Rand) string {
	from, to := anyOf(r, c.list(true)), anyOf(r, c.list(true))
	if from == "" || strings.HasPrefix(to, from) || strings.HasPrefix(from, to) {
		return ""
	}
	what := c.at(from, func(name string) error {
		if err := os.RemoveAll(c.path(to)); err != nil {
			return err
		}
		return os.Rename(name, c.path(to))
	})
	if what != "" {
		what += " to " + to
	}
	return what
}

// duplicate copies a file or folder to where another one, or none, stands.
func duplicate(c *hostileCase, r *rand.Rand) string {
	from, to := anyOf(r, c.list(true)), anyOf(r, c.list(true))
	if r.IntN(2) == 0 {
		to = anyOf(r, []string{"jobs/6", "jobs/2147483648", "jobs/9223372036854775807", "jobs/2/epoch-00000012",
			"jobs/2/epoch-9223372036854775807", "jobs/2/epoch-4294967295", "jobs/.job-5.removing", "db/000002.sst",
			"db/4294967295.vlog", "db/000002.vlog", "db/00001.mem"})
	}
	if from == "" || strings.HasPrefix(to, from) || strings.HasPrefix(from, to) {
		return ""
	}
	what := c.at(from, func(name string) error {
		info, err := os.Lstat(name)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() || info.Size() > 16<<20 {
			return fs.ErrInvalid
		}
		if err := os.RemoveAll(c.path(to)); err != nil {
			return err
		}
		if info.IsDir() {
			return copyTree(name, c.path(to))
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(c.path(to), b, 0o666)
	})
	if what != "" {
		what += " to " + to
	}
	return what
}

// folders are those in the graph's.
func (c *hostileCase) folders() (list []string) {
	for _, rel := range c.list(true) {
		if info, err := os.Lstat(c.path(rel)); err == nil && info.IsDir() {
			list = append(list, rel)
		}
	}
	return list
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
