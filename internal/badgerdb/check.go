package badgerdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dgraph-io/badger/v4/fb"
	boptions "github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"github.com/garaph/garaph/internal/beneath"
)

// What Badger's files may have. Badger 4.9.6 ends the process, in a goroutine of
// its own or by log.Fatal, when it opens files that contradict themselves, takes
// memory as a number in them says, and removes tables that it does not know: so
// all of them are looked at before. Their checksums are no proof, since whoever
// changes a file can write these too.
const (
	badgerManifest = "MANIFEST"
	badgerRegistry = "KEYREGISTRY"

	maxManifest   = 64 << 20
	registryBytes = 28 // of a key registry without keys
	logHead       = 20 // bytes in front of the entries of a value log
	maxTable      = 256 << 20
	maxLog        = math.MaxUint32
	maxLevel      = 6       // of Badger's levels
	maxVersion    = 1 << 48 // of a key: one for each write
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CheckName reports, as an error that is damaged, a file in Badger's folder whose
// name and size are none of a database that was closed. Names that are not Badger's
// are passed over.
func CheckName(damaged error, name string, size int64) error {
	least, most := int64(0), int64(math.MaxInt64)
	switch filepath.Ext(name) {
	case ".sst":
		least, most = 8, maxTable
	case ".vlog":
		least, most = logHead, maxLog
	case ".mem":
		return fmt.Errorf("%w: %q is of a database that was not closed", damaged, name)
	}
	switch name {
	case badgerManifest:
		least, most = 8, maxManifest
	case badgerRegistry:
		least, most = registryBytes, registryBytes
	}
	if suffix := filepath.Ext(name); suffix == ".sst" || suffix == ".vlog" {
		if _, ok := FileNumber(name, suffix); !ok {
			return notAName(damaged, name)
		}
	}
	if size < least || size > most {
		return fmt.Errorf("%w: %s has %d bytes, expected %d to %d", damaged, name, size, least, most)
	}
	return nil
}

// IsBadgers reports whether Badger would open what has this name.
func IsBadgers(name string) bool {
	return slices.Contains([]string{".sst", ".vlog", ".mem"}, filepath.Ext(name)) ||
		slices.Contains([]string{badgerManifest, badgerRegistry, DiscardFile}, name)
}

// FileNumber is the number of a table or log. Badger takes others from names too,
// and looks for the file under this one.
func FileNumber(name, suffix string) (number uint64, ok bool) {
	var id uint32
	_, err := fmt.Sscanf(name, "%d", &id)
	return uint64(id), err == nil && name == fmt.Sprintf("%06d%s", id, suffix)
}

// numbered are the names that Badger gives to tables, logs and tables in memory.
var numbered = regexp.MustCompile(`^([0-9]{6,10}\.(sst|vlog)|[0-9]{5,10}\.mem)$`)

// Writes reports whether Badger makes files of this name.
func Writes(name string) bool {
	return numbered.MatchString(name) ||
		slices.Contains([]string{badgerManifest, "MANIFEST-REWRITE", badgerRegistry, "REWRITE-KEYREGISTRY", DiscardFile, "LOCK"}, name)
}

func notAName(damaged error, name string) error {
	return fmt.Errorf("%w: %q is no name of a file of the database", damaged, name)
}

// Check reports, as an error that is damaged, files that Badger must not open. Their
// names and sizes were looked at.
func Check(damaged error, dir string) error {
	db, err := beneath.Open(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	entries, err := db.ReadDir(".")
	if err != nil {
		return err
	}
	if err := checkRegistry(damaged, db); err != nil {
		return err
	}
	listed, err := readManifest(damaged, db)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := e.Name(); filepath.Ext(name) {
		case ".sst":
			id, ok := FileNumber(name, ".sst")
			if !ok {
				return notAName(damaged, name)
			}
			if !listed[id] { // Badger would remove it
				return fmt.Errorf("%w: %s does not list %s", damaged, badgerManifest, name)
			}
			if err := checkTableFile(damaged, db, name, id); err != nil {
				return err
			}
			delete(listed, id)
		case ".vlog":
			if err := checkLog(damaged, db, name); err != nil {
				return err
			}
		}
	}
	for id := range listed {
		return fmt.Errorf("%w: %s is missing", damaged, table.IDToFilename(id))
	}
	return nil
}

// checkRegistry refuses a key registry of another key than none.
func checkRegistry(damaged error, db *beneath.Folder) error {
	b, err := db.ReadFile(badgerRegistry, registryBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing", damaged, badgerRegistry)
	}
	if err == nil && (len(b) != registryBytes || string(b[16:]) != "Hello Badger") { // behind 16 random bytes
		err = fmt.Errorf("%w: %s is not what was written", damaged, badgerRegistry)
	}
	return err
}

// checkLog refuses a value log that is encrypted: no graph is.
func checkLog(damaged error, db *beneath.Folder, name string) error {
	f, err := db.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var key [8]byte
	if _, err := f.ReadAt(key[:], 0); err != nil {
		return err
	}
	if key != [8]byte{} {
		return fmt.Errorf("%w: %s is encrypted", damaged, name)
	}
	return nil
}

// readManifest returns the numbers of the tables. Of each, the level is one of
// Badger's, and it is neither packed nor encrypted.
func readManifest(damaged error, db *beneath.Folder) (map[uint64]bool, error) {
	wrong := func(what string) error { return fmt.Errorf("%w: %s %s", damaged, badgerManifest, what) }
	b, err := db.ReadFile(badgerManifest, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wrong("is missing")
	}
	if err != nil {
		return nil, err
	}
	if len(b) < 8 || string(b[:8]) != "Bdgr\x00\x00\x00\x08" {
		return nil, wrong("does not begin as one of Badger 4")
	}
	tables := map[uint64]bool{}
	for b = b[8:]; len(b) > 0; {
		if len(b) < 8 || uint64(binary.BigEndian.Uint32(b)) > uint64(len(b)-8) {
			return nil, wrong("is cut")
		}
		n, sum := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
		record := b[8 : 8+n]
		b = b[8+n:]
		var set pb.ManifestChangeSet
		if crc32.Checksum(record, castagnoli) != sum || proto.Unmarshal(record, &set) != nil {
			return nil, wrong("has a record that is not what was written")
		}
		for _, c := range set.Changes {
			create := c.Op == pb.ManifestChange_CREATE
			if create == tables[c.Id] || create && (c.Level > maxLevel || c.KeyId != 0 || c.Compression != 0) || !create && c.Op != pb.ManifestChange_DELETE {
				return nil, wrong("has a change that no graph has")
			}
			if create {
				tables[c.Id] = true
			} else {
				delete(tables, c.Id)
			}
		}
	}
	return tables, nil
}

func checkTableFile(damaged error, db *beneath.Folder, name string, id uint64) (err error) {
	f, err := db.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := mapFile(f)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Munmap(b) }() // only read
	err = Guard(damaged, func() error { return checkTable(damaged, b, id) })
	if err != nil && !strings.Contains(err.Error(), name) {
		return fmt.Errorf("%w: the table %s is not what was written", damaged, name) // and not Badger's pages of why
	}
	return err
}

func mapFile(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return b, nil
}

// checkTable reads all of a table, as Badger will. It panics where Badger does,
// but for what Badger ends the process at.
func checkTable(damaged error, b []byte, id uint64) error {
	index, err := tableIndex(damaged, b)
	if err != nil {
		return err
	}
	if fb.GetRootAsTableIndex(index, 0).OffsetsLength() == 0 {
		return fmt.Errorf("%w: no blocks", damaged)
	}
	t, err := table.OpenInMemoryTable(b, id, &table.Options{ReadOnly: true, ChkMode: boptions.OnTableAndBlockRead})
	if err != nil {
		return err
	}
	if t.MaxVersion() > maxVersion {
		return fmt.Errorf("%w: a version of %d", damaged, t.MaxVersion())
	}
	if err := t.VerifyChecksum(); err != nil {
		return err
	}
	it := t.NewIterator(0)
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		_ = it.Value()
	}
	return nil
}

// tableIndex is the index of a table: in front of its length, its checksum and
// the length of that.
func tableIndex(damaged error, b []byte) (index []byte, err error) {
	for range 2 {
		if len(b) < 4 {
			return nil, fmt.Errorf("%w: it is cut", damaged)
		}
		rest := b[:len(b)-4]
		n := uint64(binary.BigEndian.Uint32(b[len(rest):]))
		if n > uint64(len(rest)) {
			return nil, fmt.Errorf("%w: a part of %d bytes in %d", damaged, n, len(rest))
		}
		b, index = rest[:uint64(len(rest))-n], rest[uint64(len(rest))-n:]
	}
	return index, nil
}
