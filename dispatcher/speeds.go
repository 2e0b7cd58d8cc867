package dispatcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/store"
)

// speedsKey names what speeds depend on.
func (j *Job[V, A]) speedsKey() string {
	from := "disk"
	if j.pages.InMemory() {
		from = "memory"
	}
	return fmt.Sprintf("%s, %d threads, from %s, %T", j.device.Info().Name, j.opt.Threads, from, j.program)
}

// readSpeeds reads what jobs over a graph have measured, by key; nothing of it
// when it cannot be read.
func readSpeeds(s *store.Store) map[string]policy.Speeds {
	all := map[string]policy.Speeds{}
	name := filepath.Join(s.Path(), store.SpeedsFile)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() { // to open a FIFO would wait for a writer
		return all
	}
	text, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(text, &all) != nil {
		return map[string]policy.Speeds{}
	}
	return all
}

// keepSpeeds leaves them to later jobs. A graph that cannot be written to does
// without.
func (j *Job[V, A]) keepSpeeds() {
	if j.device == nil || j.policy.Fixed || j.policy.Speeds == (policy.Speeds{}) {
		return
	}
	all := readSpeeds(j.store)
	all[j.speedsKey()] = j.policy.Speeds
	text, err := json.MarshalIndent(all, "", "\t")
	if err == nil {
		err = replaceFile(filepath.Join(j.store.Path(), store.SpeedsFile), append(text, '\n'))
	}
	if err != nil {
		j.opt.Log.Debug("the speeds of the devices are not kept", zap.Error(err))
	}
}

// replaceFile writes a small file as a whole: other jobs read it meanwhile.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
