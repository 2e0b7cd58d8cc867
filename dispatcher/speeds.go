package dispatcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/internal/beneath"
	"github.com/garaph/garaph/store"
)

// speedsKey names what speeds depend on.
func (j *Job[V, A]) speedsKey() string {
	from := "disk"
	if j.pages.InMemory() {
		from = "memory"
	}
	return fmt.Sprintf("%s, %d threads, from %s, %T", j.report.GPU, j.opt.Threads, from, j.program)
}

// speedsLimit is more than the file of the speeds has.
const speedsLimit = 1 << 20

// readSpeeds reads what jobs over a graph have measured, by key; nothing of it
// when it cannot be read.
func readSpeeds(graph *beneath.Folder) map[string]policy.Speeds {
	var all map[string]policy.Speeds
	text, err := graph.ReadFile(store.SpeedsFile, speedsLimit)
	if err != nil || json.Unmarshal(text, &all) != nil || all == nil { // null is JSON too
		return map[string]policy.Speeds{}
	}
	return all
}

// keptSpeeds are those of earlier jobs like this one: over this graph, or else over one of
// about its size.
func (j *Job[V, A]) keptSpeeds(complete func(policy.Speeds) bool) policy.Speeds {
	if graph, err := beneath.Open(j.store.Path()); err == nil {
		defer graph.Close()
		if s := readSpeeds(graph)[j.speedsKey()].Sound(); complete(s) {
			return s
		}
	}
	return readMachine(j.machineFolder()).Speeds[sized(j.speedsKey(), j.allEdges())].Sound()
}

// keepSpeeds leaves them to later jobs. A graph that cannot be written to does
// without.
func (j *Job[V, A]) keepSpeeds() {
	if j.sooner {
		j.keepMachine()
	}
	if len(j.devices) == 0 || j.policy.Fixed || j.policy.Speeds == (policy.Speeds{}) {
		return
	}
	j.keepMachine()
	if err := j.writeSpeeds(); err != nil {
		j.opt.Log.Debug("the speeds of the devices are not kept", zap.Error(err))
	}
}

func (j *Job[V, A]) writeSpeeds() error {
	graph, err := beneath.Open(j.store.Path())
	if err != nil {
		return err
	}
	defer graph.Close()
	all := readSpeeds(graph)
	all[j.speedsKey()] = j.policy.Speeds
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return replaceFile(graph, store.SpeedsFile, append(text, '\n'))
}

// replaceFile writes a small file as a whole: other jobs read it meanwhile. What
// is no regular file stays.
func replaceFile(graph *beneath.Folder, name string, text []byte) error {
	if there, err := graph.Open(name); err == nil {
		_ = there.Close() // only looked at
	} else if errors.Is(err, beneath.ErrKind) {
		return err
	}
	removeLeft(graph, name)
	temporary := fmt.Sprintf("%s.%d", name, rand.Uint32())
	f, err := graph.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	lock(f)
	_, err = f.Write(text)
	if err == nil {
		err = graph.Rename(temporary, name)
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		err = errors.Join(err, graph.Remove(temporary))
	}
	return err
}

// removeLeft removes what killed jobs have left of replacing a file: nobody holds its lock.
func removeLeft(graph *beneath.Folder, name string) {
	all, _ := graph.ReadDir(".") // whoever cannot read it leaves them
	for _, entry := range all {
		number, ok := strings.CutPrefix(entry.Name(), name+".")
		if _, err := strconv.ParseUint(number, 10, 32); !ok || err != nil {
			continue
		}
		if f, err := graph.OpenFile(entry.Name(), os.O_RDWR, 0); err == nil {
			if lock(f) {
				_ = graph.Remove(entry.Name())
			}
			_ = f.Close()
		}
	}
}

// lock reports whether nobody else has a file locked, which is locked now.
func lock(f *os.File) bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }
