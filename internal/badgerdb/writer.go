package badgerdb

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"

	"github.com/garaph/garaph/internal/beneath"
	"github.com/garaph/garaph/internal/sigbus"
)

// DiscardFile is Badger's file of statistics for a collection of garbage, which
// a database that is written once has no use for.
const DiscardFile = "DISCARD"

const discardBytes = 1 << 20

// Writer fills a new database. From [Create] to Close it holds a guard against
// pages that the disk cannot give. After an error what was written is of no use,
// and the folder is to be removed.
type Writer struct {
	DB     *badger.DB // to read what was written
	folder string
	log    *flushLog
	guard  *sigbus.Guard
}

// Create makes a database in a folder. The options' logger is replaced. Badger may end the
// process where it can open no more files, and so is not asked to then.
func Create(o badger.Options) (*Writer, error) {
	if err := beneath.CheckFiles(); err != nil {
		return nil, err
	}
	w := &Writer{folder: o.Dir, log: &flushLog{}, guard: sigbus.Hold()}
	o.Logger = w.log
	err := makeDiscard(o.Dir)
	if err == nil {
		err = recovered(func() (err error) {
			w.DB, err = badger.Open(o)
			return err
		})
	}
	if err != nil {
		return nil, errors.Join(err, w.abandon())
	}
	if w.guard.Err() != nil {
		return nil, w.Close()
	}
	return w, nil
}

// makeDiscard makes the file DISCARD as Badger would: that it cannot be made
// ends the process there.
func makeDiscard(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(folder, DiscardFile), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(discardBytes), f.Close())
}

// Put stores a value. It may be called from several goroutines.
func (w *Writer) Put(key, value []byte) error {
	if err := w.failed(); err != nil {
		return err
	}
	return errors.Join(recovered(func() error {
		return w.DB.Update(func(txn *badger.Txn) error { return txn.Set(key, value) })
	}), w.guard.Err())
}

// Sync brings the logs to disk.
func (w *Writer) Sync() error { return errors.Join(recovered(w.DB.Sync), w.failed()) }

// failed is why the database is of no use already.
func (w *Writer) failed() error { return errors.Join(w.guard.Err(), w.log.err()) }

// Close brings the keys to disk and ends the database. The error is also that of
// a page which could not be had any time before.
func (w *Writer) Close() error {
	err := recovered(w.DB.Close)
	if failed := w.failed(); failed != nil {
		err = failed // and not what Close makes of it
	}
	if err != nil {
		return errors.Join(err, w.abandon())
	}
	return w.guard.Release()
}

// abandon ends a database that could not be opened or closed in order. Badger
// leaves some of its files mapped then, which keeps their blocks also when they
// were removed: they are cut.
func (w *Writer) abandon() error {
	_ = w.guard.Release() // has been looked at
	entries, err := os.ReadDir(w.folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			err = errors.Join(err, os.Truncate(filepath.Join(w.folder, e.Name()), 0))
		}
	}
	return err
}
