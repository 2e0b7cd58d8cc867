package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// link puts a symbolic link in the place of a file or folder.
func link(c *hostileCase, r *rand.Rand) string {
	rel := anyOf(r, c.list(true))
	targets := []string{
		c.h.in("user", "notes.txt"), c.h.in("user", "folder"), "../../user/ranks.tsv", "/dev/zero", "/dev/null",
		"/proc/self/mem", "nowhere", filepath.Base(rel), ".", c.h.in("user", "new.txt"),
	}
	to := anyOf(r, targets)
	what := c.at(rel, func(name string) error {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
		return os.Symlink(to, name)
	})
	if what == "" {
		return ""
	}
	return what + " to " + to
}

// linkFolder moves a file or folder to the user's and leaves a link to it: all is
// there, and none of it is ours any more.
func linkFolder(c *hostileCase, r *rand.Rand) string {
	rel := anyOf(r, c.list(true))
	to := c.h.in("user", "moved-"+filepath.Base(rel))
	return c.at(rel, func(name string) error {
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		if err := os.Rename(name, to); err != nil {
			return err
		}
		return os.Symlink(to, name)
	})
}

// special puts something in the place of a file, or of one that may be there.
func special(do func(name string) error) func(c *hostileCase, r *rand.Rand) string {
	return func(c *hostileCase, r *rand.Rand) string {
		list := c.list(false)
		list = append(list, "db/000002.vlog", "db/000002.sst", "db/00001.mem", "jobs/2/PROGRESS", "jobs/2/.JOB", "jobs/7",
			"jobs/.job-x", "jobs/2/epoch-00000100")
		return c.at(anyOf(r, list), func(name string) error {
			if err := os.RemoveAll(name); err != nil {
				return err
			}
			return do(name)
		})
	}
}

// the path may be too long to listen at
func socket(name string) error { return unix.Mknod(name, unix.S_IFSOCK|0o666, 0) }

func fileForFolder(c *hostileCase, r *rand.Rand) string {
	return c.at(anyOf(r, c.list(true)), func(name string) error {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
		return os.WriteFile(name, randomBytes(r, r.IntN(2000)), 0o666)
	})
}

// sparse makes a file huge, except tables of Badger, which are read whole: with what it holds in front of the hole, or
// nothing.
func sparse(c *hostileCase, r *rand.Rand) string {
	size := int64(2+r.IntN(99)) << 30
	files := slices.DeleteFunc(c.list(false), func(name string) bool { return strings.HasSuffix(name, ".sst") })
	what := c.at(anyOf(r, files), func(name string) error {
		if r.IntN(2) == 0 {
			if err := writeInPlace(name, nil); err != nil {
				return err
			}
		}
		return os.Truncate(name, size)
	})
	if what == "" {
		return ""
	}
	return fmt.Sprintf("%s of %d GiB", what, size>>30)
}

// keep writes a file of the user's. Its name is in no other place.
func (c *hostileCase) keep(name string) error {
	text := "the user's " + filepath.Base(name) + "\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		return err
	}
	c.mine[filepath.Base(name)] = text
	return nil
}

// looksLikeOurs makes a folder of the user's with a name as we give it to what is
// not wanted any more, beside the graph or among temporary files.
func looksLikeOurs(c *hostileCase, r *rand.Rand) string {
	place := anyOf(r, []string{
		c.h.in("work", ".g.graph.importing-2024"), c.h.in("work", ".g.graph.importing-old"), c.h.in("tmp", "garaph-job-2024"),
	})
	if os.MkdirAll(place, 0o777) != nil || c.keep(filepath.Join(place, fmt.Sprintf("photo-%d.jpg", r.IntN(1000)))) != nil {
		return ""
	}
	if r.IntN(2) == 0 {
		_ = os.WriteFile(filepath.Join(place, "JOB"), []byte("what the user calls so\n"), 0o666)
	}
	c.h.must(os.Chtimes(place, longAgo, longAgo))
	rel, _ := filepath.Rel(c.h.root(), place)
	return rel
}

// oddNames are file names that mean something to a terminal or to a reader of
// lines.
func oddNames(c *hostileCase, r *rand.Rand) string {
	names := []string{"\x1b[2J\x1b]0;title\a", "two\nlines", "epoch-00000001\n", "-rf", "%s%n%d", "000001.sst\r", "*.sst",
		"[", "\xff\xfe.vlog", "0\x1b[31m.vlog", "\x1b[31m.sst", "\n.sst", "MANIFEST-REWRITE", "1 ", "+1", "０"}
	return c.at(anyOf(r, append(c.folders(), ".")), func(name string) error {
		name = filepath.Join(name, anyOf(r, names))
		if r.IntN(3) == 0 {
			return os.MkdirAll(name, 0o777)
		}
		return os.WriteFile(name, randomBytes(r, r.IntN(100)), 0o666)
	})
}
