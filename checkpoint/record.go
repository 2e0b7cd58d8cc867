package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/badgerdb"
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

// Spec is what was asked for, for whoever builds the program again. A record may
// have been made by anybody: this package looks at sizes and forms alone, and
// [Job.CheckOwn] checks who made it.
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

// Record is what a job's folder says of it.
type Record struct {
	Spec
	Place     Place     `json:"place"` // of its folder
	File      uint64    `json:"file"`  // the inode of the record itself
	Identity  Identity  `json:"identity"`
	Policy    Policy    `json:"checkpoints"`
	Status    Status    `json:"status"`
	Error     string    `json:"error,omitempty"` // of a failed job; of one that is done, why it has no results
	Iteration int       `json:"iteration"`       // iterations done
	Epoch     int       `json:"epoch,omitempty"` // the number of the last one written; 0: none was
	Saved     int       `json:"saved,omitempty"` // iterations that were done in that one; 0 too where an earlier version wrote it
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`
}

const (
	recordFile   = "JOB"
	lockFile     = "LOCK"
	progressFile = "PROGRESS" // iterations done, not synced

	recordLimit   = 1 << 20 // of the JOB file
	progressLimit = 100     // of the PROGRESS file
	pathLimit     = 4 << 10 // of a path, as the system has it
	wordLimit     = 200     // of the name of a program
	errorLimit    = 2 << 10 // of why a job failed
	maxIterations = 1 << 40
)

// text is a record as it is written: a head, a line of JSON and one with the
// checksum of both.
func (r *Record) text() (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	b, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	text := recordHead + string(b) + "\n"
	text = fmt.Sprintf("%s%08x %s\n", text, crc32.Checksum([]byte(text), castagnoli), recordFile)
	if len(text) > recordLimit {
		return "", fmt.Errorf("its flags are too long: the record has %d bytes, expected %d at most", len(text), recordLimit)
	}
	return text, nil
}

// writeRecord replaces a job's record. That of a job that is done takes the place of
// the old one byte by byte where the disk is full.
func writeRecord(at *beneath.Folder, r *Record) error {
	if err := r.check(); err != nil {
		return err
	}
	temporary := hidden + recordFile
	if err := at.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d := osDisk{at}
	err := writeNew(at, temporary, r)
	if err == nil {
		err = d.rename(temporary, recordFile)
	}
	if err == nil {
		return d.syncFolder(".")
	}
	if gone := at.Remove(temporary); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	if r.Status == Done && badgerdb.Full(err) != nil && overwriteRecord(at, r) {
		return nil
	}
	return err
}

// writeNew writes a record to a new file, to which no other user can write.
func writeNew(at *beneath.Folder, name string, r *Record) error {
	f, err := at.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	text, err := r.textIn(f)
	if err == nil {
		_, err = f.WriteString(text)
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// textIn is the text of a record that is to be written to a file.
func (r *Record) textIn(f *os.File) (string, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return "", err
	}
	r.File = st.Ino
	return r.text()
}

// overwriteRecord writes a record into the blocks that the file has already. When the
// power fails in the middle, the record is damaged: of a job that is done, nothing is lost.
func overwriteRecord(at *beneath.Folder, r *Record) bool {
	f, err := at.OpenFile(recordFile, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := r.textIn(f)
	var st unix.Stat_t
	if err != nil || unix.Fstat(int(f.Fd()), &st) != nil || st.Nlink != 1 || st.Blocks*512 < int64(len(text)) {
		return false
	}
	_, err = f.WriteAt([]byte(text), 0)
	return errors.Join(err, f.Truncate(int64(len(text))), f.Sync()) == nil
}

func readRecord(at *beneath.Folder) (*Record, error) {
	b, err := at.ReadFile(recordFile, recordLimit)
	if err != nil {
		return nil, fmt.Errorf("%w: its %s file cannot be read: %w", ErrDamaged, recordFile, err)
	}
	text := string(b)
	end := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n') + 1
	if text[end:] != fmt.Sprintf("%08x %s\n", crc32.Checksum(b[:end], castagnoli), recordFile) {
		return nil, fmt.Errorf("%w: its %s file does not match its checksum", ErrDamaged, recordFile)
	}
	line, ours := strings.CutPrefix(text[:end], recordHead)
	if !ours {
		return nil, fmt.Errorf("%w: resume it with that, or run it again", ErrVersion)
	}
	r := new(Record)
	if err = json.Unmarshal([]byte(line), r); err == nil {
		err = r.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: its %s file: %s", ErrDamaged, recordFile, printable(err.Error()))
	}
	return r, nil
}

// check refuses what no job has.
func (r *Record) check() error {
	p := r.Policy
	switch {
	case !slices.Contains([]Status{Running, Done, Failed, Interrupted}, r.Status):
		return fmt.Errorf("the status %.40q is unknown", r.Status)
	case len(r.Name) > wordLimit:
		return fmt.Errorf("the name of the program has %d bytes, expected %d at most", len(r.Name), wordLimit)
	case len(r.Error) > errorLimit:
		return fmt.Errorf("the error has %d bytes, expected %d at most", len(r.Error), errorLimit)
	case !isOutput(r.Output):
		return fmt.Errorf("the output %.80q is no absolute path in UTF-8", r.Output)
	case r.From != "" && !isPath(r.From):
		return fmt.Errorf("the folder %.80q where it was begun is no absolute path in UTF-8", r.From)
	case len(r.Wrote) > maxWrote:
		return fmt.Errorf("it wrote %d files, expected %d at most", len(r.Wrote), maxWrote)
	case p.Every < 0 || p.Interval < 0 || p.Pages < 0 || p.Keep < 0:
		return fmt.Errorf("checkpoints every %d iterations, %s or %d pages, of which %d are kept, cannot be", p.Every, p.Interval, p.Pages, p.Keep)
	case r.Iteration < 0 || r.Iteration > maxIterations || r.Saved < 0 || r.Saved > maxIterations || r.Epoch < 0 || r.Epoch > maxID:
		return fmt.Errorf("%d iterations, %d of them saved, and %d checkpoints cannot be", r.Iteration, r.Saved, r.Epoch)
	}
	return nil
}

func isOutput(path string) bool { return path == "" || path == "-" || isPath(path) }

func isPath(path string) bool {
	return filepath.IsAbs(path) && len(path) <= pathLimit && utf8.ValidString(path) && !strings.Contains(path, "\x00")
}

// printable is a text of somebody else's as one line of an error.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// errorText is why a job failed, in a record: the first line, cut where it is
// too long.
func errorText(cause error) string {
	text, _, _ := strings.Cut(cause.Error(), "\n")
	text = strings.ToValidUTF8(text, "?")
	if len(text) > errorLimit {
		text = strings.ToValidUTF8(text[:errorLimit], "")
	}
	return text
}

// writeProgress replaces the file of a job's progress. What stands there and is
// no file of ours stays.
func writeProgress(at *beneath.Folder, iterations int) error {
	if info, err := at.Lstat(progressFile); err == nil && !info.Mode().IsRegular() {
		return beneath.ErrKind
	}
	temporary := hidden + progressFile
	if err := at.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := at.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, iterations)
	if err = errors.Join(err, f.Close()); err == nil {
		err = at.Rename(temporary, progressFile)
	}
	if err != nil { // on a full disk, say
		err = errors.Join(err, at.Remove(temporary))
	}
	return err
}

// removeProgress removes that file, and what a killed process left of one. One
// that stays is less than the record has.
func removeProgress(at *beneath.Folder) {
	for _, name := range []string{progressFile, hidden + progressFile} {
		if info, err := at.Lstat(name); err == nil && info.Mode().IsRegular() {
			_ = at.Remove(name)
		}
	}
}
