package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/badgerdb"
	"github.com/garaph/garaph/internal/beneath"
)

// Folders of graphs, and those in which graphs are built, are known by their
// marker, which is written first and removed last. In them, the files of garaph are
// known by their names. Nothing else is removed.
const (
	markerHead  = "garaph graph, "                // of every marker
	buildMarker = markerHead + "being imported\n" // of a graph that is not whole yet
	graphMarker = markerHead + "store version 1\n"
	newMarker   = markerFile + ".new" // the marker of a whole graph, until it takes the other's place
)

// The names of files that only a killed process leaves: importFile where a graph is being
// built, and never in one that is whole.
var (
	temporaryFile = regexp.MustCompile(`^(spill-|names-)[0-9]{1,10}$`)
	importFile    = regexp.MustCompile(`^(spill-|names-)[0-9]+$`)
)

// ours reports by its path in a graph's folder whether garaph may have written it,
// the marker aside.
func ours(path string, folder bool) bool {
	if path == dbDir || path == JobsDir {
		return folder
	}
	if in, ok := strings.CutPrefix(path, JobsDir+"/"); ok {
		return checkpoint.Ours(in, folder)
	}
	if folder {
		return false
	}
	if name, ok := strings.CutPrefix(path, dbDir+"/"); ok {
		return badgerdb.Writes(name)
	}
	return path == PythonIDs || path == newMarker || path == payloadFile || temporaryFile.MatchString(path)
}

// foreignFile returns the first thing in the folder of a whole graph that is not of the
// graph, relative to the folder; "" when there is none.
func foreignFile(path string) (string, error) {
	f, err := beneath.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	name, err := f.Foreign(".", func(path string, folder bool) bool {
		return path == markerFile && !folder || ours(path, folder) && !importFile.MatchString(path)
	})
	if name == "" && err == nil {
		if name, err = checkpoint.Foreign(filepath.Join(path, JobsDir)); name != "" {
			name = filepath.Join(JobsDir, name)
		}
	}
	return name, err
}

// hasMarker reports whether the folder at path is a graph's, or one in which a
// graph is being built.
func hasMarker(path string) bool {
	f, err := beneath.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	marker, err := f.Open(markerFile)
	if err != nil {
		return false
	}
	defer marker.Close()
	head := make([]byte, len(markerHead))
	_, err = io.ReadFull(marker, head)
	return err == nil && string(head) == markerHead
}

// Around returns the folder of the graph in which a path lies, whatever links lead
// there; "" when it lies in none. The path itself need not exist.
func Around(path string) string {
	for dir := range beneath.Above(path) {
		if !hasMarker(dir) {
			continue
		}
		name, err := filepath.EvalSymlinks(dir)
		if err == nil {
			name, err = filepath.Abs(name)
		}
		if err != nil {
			return dir
		}
		return name
	}
	return ""
}

// removeFolder removes the folder of a graph, or one in which a graph was built, once no process is opening the graph.
// Files that are not garaph's stay, and are the error.
func removeFolder(path string) error {
	dir, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close() // and with it the lock
	for begin := time.Now(); errors.Is(flock(dir, unix.LOCK_EX), unix.EWOULDBLOCK); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > maxOpening {
			return fmt.Errorf("%s is being opened", path)
		}
	}
	if unix.Rmdir(path) == nil { // it was empty: an import was killed before it wrote anything
		return nil
	}
	marker, err := os.Lstat(filepath.Join(path, markerFile))
	begun := err == nil && marker.Mode().IsRegular() && marker.Size() == 0 // and it was killed then
	if !begun && !hasMarker(path) {
		return fmt.Errorf("%s was not made by garaph, and stays", path)
	}
	return removeOurs(path)
}

// maxOpening is how long the opening of a graph may take until its removal is
// given up.
const maxOpening = 10 * time.Second

// removeOurs removes the files that garaph wrote, the marker last.
func removeOurs(path string) error {
	f, err := beneath.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer f.Close()
	name := filepath.Base(path)
	left, err := f.RemoveOurs(name, ours)
	if err != nil || left == "" {
		return err
	}
	if left, err = f.Foreign(name, func(path string, folder bool) bool {
		return path == markerFile &&
			!folder
	}); err != nil {
		return err
	}
	if left != "" {
		return fmt.Errorf("%s is not garaph's, and stays", filepath.Join(path, left))
	}
	return errors.Join(f.Remove(filepath.Join(name, markerFile)), f.Remove(name))
}

// PayloadBytes returns the size of the payload of the graph at path without opening it, or 0 if there is no graph.
func PayloadBytes(path string) int64 {
	info, err := os.Lstat(filepath.Join(path, payloadFile))
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
