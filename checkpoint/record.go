package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Status is how a job stands.
type Status string

// A job is running until it ends, and interrupted when its process ended before
// it.
const (
	Running     Status = "running"
	Done        Status = "done"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
)

// Spec is what was asked for, in words for a user and for whoever builds the
// program again. This package looks at none of it.
type Spec struct {
	Name   string            `json:"name"`             // of the program
	Flags  map[string]string `json:"flags,omitempty"`  // of the command line that began the job, those that were given
	Output string            `json:"output,omitempty"` // where results go
}

// Record is what a job's folder says of it.
type Record struct {
	Spec
	Identity  Identity  `json:"identity"`
	Policy    Policy    `json:"checkpoints"`
	Status    Status    `json:"status"`
	Error     string    `json:"error,omitempty"` // of a failed job
	Iteration int       `json:"iteration"`       // iterations done
	Epoch     int       `json:"epoch,omitempty"` // the number of the last one written; 0: none was
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`
}

const (
	recordFile   = "JOB"
	lockFile     = "LOCK"
	progressFile = "PROGRESS" // iterations done, not synced
)

// writeRecord replaces a job's record: a line of JSON and one with its checksum.
func writeRecord(folder string, r *Record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	text := fmt.Sprintf("%s%08x %s\n", b, crc32.Checksum(b, castagnoli), recordFile)
	temporary := filepath.Join(folder, hidden+recordFile)
	if err := os.Remove(temporary); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	d := osDisk{}
	if err := d.writeSynced(temporary, text); err != nil {
		return err
	}
	if err := d.rename(temporary, filepath.Join(folder, recordFile)); err != nil {
		return err
	}
	return d.syncFolder(folder)
}

func readRecord(folder string) (*Record, error) {
	b, err := readRegular(filepath.Join(folder, recordFile))
	if err != nil {
		return nil, fmt.Errorf("%w: its %s file cannot be read: %w", ErrDamaged, recordFile, err)
	}
	line, seal, _ := strings.Cut(string(b), "\n")
	line += "\n"
	if seal != fmt.Sprintf("%08x %s\n", crc32.Checksum([]byte(line), castagnoli), recordFile) {
		return nil, fmt.Errorf("%w: its %s file does not match its checksum", ErrDamaged, recordFile)
	}
	r := new(Record)
	if err := json.Unmarshal([]byte(line), r); err != nil {
		return nil, fmt.Errorf("%w: its %s file: %w", ErrDamaged, recordFile, err)
	}
	return r, nil
}
