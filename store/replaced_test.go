package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// TestReplacedWhileRead checks that graphs take each other's place at one path as fast as
// they can. A process that opens one there meanwhile reads it to its end, and finds it
// sound.
func TestReplacedWhileRead(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, random(1, 40, 4000), teststore.Options{ShardVertices: 10})
	const least = 30
	var work sync.WaitGroup
	var replaced, read atomic.Int64
	goes := func() bool { return min(replaced.Load(), read.Load()) < least && !t.Failed() }
	work.Go(func() {
		for ; goes(); replaced.Add(1) {
			if err := replaceWith(path, uint64(replaced.Load())); err != nil {
				t.Error(err)
			}
		}
	})
	for range 2 {
		work.Go(func() {
			for ; goes(); read.Add(1) {
				if err := readToEnd(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
}

// replaceWith puts another graph of another size at path.
func replaceWith(path string, seed uint64) error {
	w, err := store.Create(path, true)
	if err != nil {
		return err
	}
	return teststore.Fill(w, random(seed, 40, 3000+int(seed%3)*1000), teststore.Options{ShardVertices: 10})
}

func readToEnd(path string) (err error) {
	s, err := store.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	runtime.Gosched() // the time for others to replace it
	if s.DiskBytes() == 0 {
		return fmt.Errorf("the graph takes nothing on the disk")
	}
	return readAll(s)
}

// readAll reads a graph in both ways.
func readAll(s *store.Store) error {
	var damaged error
	err := s.Verify(context.Background(), 1, func(int64) {}, func(damage error) { damaged = errors.Join(damaged, damage) })
	for i := range s.Catalogue().Shards {
		_, damage := s.Read(shard.In, i, aligned(int(s.Catalogue().Bytes(shard.In, i))), streaming)
		damaged = errors.Join(damaged, damage)
	}
	return errors.Join(err, damaged)
}

// TestInPlace checks that no graph takes the place of one over which a job begins, and no
// job begins over one whose place is being taken.
func TestInPlace(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, random(1, 40, 4000), teststore.Options{ShardVertices: 10})
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begun := make(chan error)
	begin := func(f func() error) { go func() { begun <- s.InPlace(f) }() }
	replaced := make(chan error, 1)
	inside := make(chan bool)
	begin(func() error {
		go func() { replaced <- replaceWith(path, 2) }()
		select {
		case err := <-replaced:
			t.Errorf("replaced while a job begins: %v", err)
		case <-time.After(200 * time.Millisecond):
		}
		close(inside)
		return store.ErrNoSpace
	})
	<-inside
	if err := <-begun; err != store.ErrNoSpace { // as it was
		t.Errorf("the error of the job that begins: %v", err)
	}
	if err := <-replaced; err != nil {
		t.Error(err)
	}
	if err := s.InPlace(func() error { t.Error("begun over another graph"); return nil }); !errors.Is(err,
		store.ErrReplaced) {
		t.Errorf("afterwards: %v", err)
	}
	if s, err = store.Open(path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	defer store.SetExchange(func(a, b string) error {
		begin(func() error { t.Error("begun while another graph takes the place"); return nil })
		time.Sleep(100 * time.Millisecond)
		return errors.Join(os.Rename(b, b+"-"), os.Rename(a, b), os.Rename(b+"-", a))
	})()
	if err := replaceWith(path, 3); err != nil {
		t.Error(err)
	}
	if err := <-begun; !errors.Is(err, store.ErrReplaced) {
		t.Errorf("a job that began meanwhile: %v", err)
	}
	err = s.InPlace(func() error { return errors.Join(os.Rename(path, path+"-"), os.ErrNotExist) })
	if !errors.Is(err, store.ErrReplaced) || strings.Contains(err.Error(), "not exist") {
		t.Errorf("moved under a job: %v", err)
	}
}

// TestLocked checks that a lock on the folder that ends is waited for, and one that does not is no
// replacement. One on the database's folder is said to be that.
func TestLocked(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, random(1, 40, 400), teststore.Options{})
	lock, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(path); err == nil || errors.Is(err, store.ErrReplaced) ||
		!strings.Contains(err.Error(), "another process has a lock on its folder; wait for that to end") {
		t.Errorf("a lock that stays: %v", err)
	}
	database, err := os.Open(filepath.Join(path, "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	unlocked := make(chan error, 1)
	time.AfterFunc(50*time.Millisecond, func() { unlocked <- syscall.Flock(int(lock.Fd()), syscall.LOCK_UN) })
	s, err := store.Open(path)
	if err := <-unlocked; err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatalf("a lock that ends: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := syscall.Flock(int(database.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(30*time.Millisecond, func() { unlocked <- syscall.Flock(int(database.Fd()), syscall.LOCK_UN) })
	s, err = store.Open(path)
	if err := <-unlocked; err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatalf("a lock on the database that ends: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := syscall.Flock(int(database.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(path); err == nil || !strings.HasSuffix(err.Error(),
		"another process has a lock on its folder db; wait for that to end") {
		t.Errorf("a lock on the database: %v", err)
	}
}
