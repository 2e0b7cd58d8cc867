package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/beneath"
)

// Folders of graphs, and those in which graphs are built, are known by their
// marker, which is written first and removed last. Nothing that has another name in them than those of
// garaph is removed.

const (
	markerHead  = "garaph graph, "                // of every marker
	buildMarker = markerHead + "being imported\n" // of a graph that is not whole yet
	graphMarker = markerHead + "store version 1\n"
	newMarker   = markerFile + ".new" // the marker of a whole graph, until it takes the other's place
)

// temporaryFile matches the names of files that only a killed process leaves.
var temporaryFile = regexp.MustCompile(`^(spill-|names-)[0-9]+$`)

// ours reports whether garaph may have written a file or folder of this name in the folder of a graph.
func ours(name string) bool {
	return slices.Contains([]string{markerFile, newMarker, payloadFile, PythonIDs, dbDir, JobsDir}, name)
}

// foreignFile returns the first file or folder in the folder of a whole graph that is no part of it; "" if there is
// none.
func foreignFile(path string) (string, error) {
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if !ours(e.Name()) {
			return e.Name(), err
		}
	}
	return "", err
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

// removeOurs removes the files that garaph wrote, the marker last. If a file of another stays, it is the error.
func removeOurs(path string) error {
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		switch name := e.Name(); {
		case name == markerFile:
		case ours(name) || temporaryFile.MatchString(name):
			err = errors.Join(err, os.RemoveAll(filepath.Join(path, name)))
		default:
			err = errors.Join(err, fmt.Errorf("%s is not garaph's, and stays", filepath.Join(path, name)))
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(filepath.Join(path, markerFile)), os.Remove(path))
}

// PayloadBytes returns the size of the payload of the graph at path without opening it, or 0 if there is no graph.
func PayloadBytes(path string) int64 {
	info, err := os.Lstat(filepath.Join(path, payloadFile))
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
