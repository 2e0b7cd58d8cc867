package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/beneath"
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

// Spec is the request of a user. A record may come from another user: this package checks its form only, and
// [Job.CheckOwn] checks its owner.
type Spec struct {
	Name   string            `json:"name"`             // of the program
	Flags  map[string]string `json:"flags,omitempty"`  // of the command line that began the job, those that were given
	Output string            `json:"output,omitempty"` // where results go: an absolute path, - or nowhere
	// From is the folder where the job was begun.
	From string `json:"from,omitempty"`
	// Wrote are the files that the job put at Output, which it may replace when
	// it is resumed, see [Job.Writes].
	Wrote []FileID `json:"wrote,omitempty"`
}

// A Record describes a job in its folder.
type Record struct {
	Spec
	Place     Place     `json:"place"` // of its folder
	File      uint64    `json:"file"`  // the inode of the record itself
	Identity  Identity  `json:"identity"`
	Policy    Policy    `json:"checkpoints"`
	Status    Status    `json:"status"`
	Error     string    `json:"error,omitempty"` // of a failed job; of one that is done, why it has no results
	Iteration int       `json:"iteration"`       // iterations done
	Epoch     int       `json:"epoch,omitempty"` // the number of the last one written; if 0, none was
	Saved     int       `json:"saved,omitempty"` // iterations that were done in that one
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`
}

const (
	recordFile   = "JOB"
	lockFile     = "LOCK"
	progressFile = "PROGRESS" // iterations done, not synced

	recordHead    = "garaph job, version 1\n"
	recordLimit   = 1 << 20 // of the JOB file
	progressLimit = 100     // of the PROGRESS file
	errorLimit    = 2 << 10 // of why a job failed
	maxIterations = 1 << 40
)

// text returns the record as it is written.
func (r *Record) text() (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	text, err := sealText(recordFile, recordHead, r)
	if len(text) > recordLimit {
		err = fmt.Errorf("its flags are too long: the record has %d bytes, expected %d at most", len(text), recordLimit)
	}
	return text, err
}

// writeRecord replaces a job's record.
func writeRecord(at *beneath.Folder, r *Record) error {
	temporary := hidden + recordFile
	if err := at.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := at.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	var st unix.Stat_t
	if err = unix.Fstat(int(f.Fd()), &st); err == nil {
		r.File = st.Ino
		var text string
		if text, err = r.text(); err == nil {
			_, err = f.WriteString(text)
		}
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = at.Rename(temporary, recordFile)
	}
	if err != nil {
		return errors.Join(err, at.Remove(temporary))
	}
	return at.Sync(".")
}

func readRecord(at *beneath.Folder) (*Record, error) {
	r := new(Record)
	if err := readText(at, recordFile, recordHead, recordLimit, r); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%w: its %s file: %s", ErrDamaged, recordFile, printable(err.Error()))
	}
	return r, nil
}

// check returns an error if a field has a value that no job has.
func (r *Record) check() error {
	p := r.Policy
	switch {
	case !slices.Contains([]Status{Running, Done, Failed, Interrupted}, r.Status):
		return fmt.Errorf("the status %.40q is unknown", r.Status)
	case r.Output != "" && r.Output != "-" && !isPath(r.Output):
		return fmt.Errorf("the output %.80q is no absolute path in UTF-8", r.Output)
	case r.From != "" && !isPath(r.From):
		return fmt.Errorf("the folder %.80q where it was begun is no absolute path in UTF-8", r.From)
	case min(p.Every, int(p.Interval), p.Pages, p.Keep, r.Iteration, r.Saved, r.Epoch) < 0:
		return errors.New("it has a negative number")
	case max(r.Iteration, r.Saved) > maxIterations || r.Epoch > maxID:
		return fmt.Errorf("%d iterations, %d of them saved, and %d checkpoints cannot be", r.Iteration, r.Saved, r.Epoch)
	}
	return nil
}

func isPath(path string) bool {
	return filepath.IsAbs(path) && utf8.ValidString(path) && !strings.Contains(path, "\x00")
}

// printable returns a text of a stored file as one line for an error.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// errorText returns why a job failed, in a record: the first line, cut where it is
// too long.
func errorText(cause error) string {
	text, _, _ := strings.Cut(cause.Error(), "\n")
	return strings.ToValidUTF8(text[:min(len(text), errorLimit)], "")
}

// writeProgress overwrites the number of iterations, in as many bytes.
func writeProgress(at *beneath.Folder, iterations int) error {
	f, err := at.OpenFile(progressFile, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(fmt.Appendf(nil, "%20d\n", iterations), 0)
	return errors.Join(err, f.Close())
}
