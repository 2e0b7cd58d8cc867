// Package checkpoint keeps the state of jobs on disk, so that a job goes on
// after a crash.
//
// A [Job] is a folder in a graph's folder: its command, its progress,
// and its epochs. An epoch is the state of the job between two iterations: a
// value for each vertex, the active set and a few numbers. It is written into a
// hidden folder that becomes the epoch by one rename, when it is whole and on
// disk; see [Folder.Write] for the steps. Every byte that
// is read is under a checksum, and an epoch that fails is skipped for the one
// before it.
//
// The package knows no engine and no program: values are bytes, which a
// [Source] provides and a [Sink] receives. docs/format-checkpoint.md draws the files.
package checkpoint

import (
	"errors"
	"time"
)

// Errors that a caller may test for.
var (
	// ErrDamaged reports that stored bytes are not what was written.
	ErrDamaged = errors.New("damaged")
	// ErrDiffers reports that the job is one of another graph, program or parameter.
	ErrDiffers = errors.New("not the same job")
	// ErrNoSpace reports that the disk has too little free space for an epoch.
	ErrNoSpace = errors.New("not enough free disk space")
	// ErrRunning reports that another process has the job.
	ErrRunning = errors.New("is running in another process")
	// ErrGone reports that the job's folder is not there any more, or is another one.
	ErrGone = errors.New("the folder of the job was moved, removed or replaced")
	// ErrVersion reports that the record of a job has the layout of another version.
	ErrVersion = errors.New("was recorded by another version of garaph")
	// ErrNoJob reports that the graph has no such job, or none that is unfinished.
	ErrNoJob = errors.New("no such job")
)

// DefaultKeep is the number of epochs a job keeps, unless its policy differs.
const DefaultKeep = 2

// Policy says when a job writes epochs while it runs. The zero value is never;
// an interrupted job writes one in any case.
type Policy struct {
	Every    int           `json:"every,omitempty"`    // after that many iterations; if 0, not by their number
	Interval time.Duration `json:"interval,omitempty"` // the time between two checkpoints; if 0, not by time
	Pages    int           `json:"pages,omitempty"`    // of an async job, after that many pages; if 0, not by pages
	Keep     int           `json:"keep,omitempty"`     // how many of the newest are kept; if 0, DefaultKeep
}

// Wanted reports whether epochs are written while the job runs.
func (p Policy) Wanted() bool { return p.Every > 0 || p.Interval > 0 || p.Pages > 0 }

// Source provides the state that an epoch is to hold. Its Fill is called from
// several goroutines at once, while the job goes on.
type Source interface {
	// Fill puts the values of the vertices in [from, to) into values, and the
	// bits of those of them that are active into active, from bit 0.
	Fill(from, to uint32, values []byte, active []uint64) error
}

// Sink takes the state of an epoch. After an error in the middle, another epoch
// may follow: Begin comes first each time.
type Sink interface {
	// Begin is called before the values, with their state. Its error ends the search for an epoch.
	Begin(State) error
	// Take gets the vertices in [from, to); both slices are valid until it
	// returns.
	Take(from, to uint32, values []byte, active []uint64) error
}
