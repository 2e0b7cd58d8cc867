package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4/pb"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// forge stores a symmetric graph with weights of one shard, 0 → 1 → 2 → 0, after
// change had its way with the side and the catalogue. All checksums are sound.
func forge(t *testing.T, change func(s *rows.Side, c *store.Catalogue)) *store.Store {
	t.Helper()
	path := filepath.Join(memoryDir(t), "g")
	w, err := store.Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	blob := aligned(int(rows.Size(3, 3, true)))
	side := rows.Layout(blob, shard.In, 0, 0, 3, 3, true)
	copy(side.Off, []uint32{0, 1, 2, 3})
	copy(side.Nbr, []uint32{2, 0, 1})
	copy(side.Weight, []float32{1, 2, 3})
	cat := &store.Catalogue{Vertices: 3, Edges: 3, Weighted: true, Symmetric: true, Shards: []store.ShardInfo{{Vertices: 3, In: 3, Out: 3}}}
	change(side, cat)
	cat.Shards[0].InSum = rows.Seal(blob)
	if err := errors.Join(w.PutShard(0, side), w.IDs(store.IDBase, 0).Finish(), w.Commit(cat)); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

// TestForgedShards: sound checksums over what no engine could work with.
func TestForgedShards(t *testing.T) {
	for _, c := range []struct {
		name, says string
		change     func(s *rows.Side, c *store.Catalogue)
	}{
		{"nothing", "", func(*rows.Side, *store.Catalogue) {}},
		{"neighbour", "vertex 1 has neighbour 3, the graph has 3 vertices", func(s *rows.Side, _ *store.Catalogue) { s.Nbr[1] = 3 }},
		{"large neighbour", "vertex 2 has neighbour 4294967295", func(s *rows.Side, _ *store.Catalogue) { s.Nbr[2] = math.MaxUint32 }},
		{"weight", "weight -1 of edge 0", func(s *rows.Side, _ *store.Catalogue) { s.Weight[0] = -1 }},
		{"edges", "the catalogue expects an in side of 4", func(_ *rows.Side, c *store.Catalogue) { c.Edges, c.Shards[0].In, c.Shards[0].Out = 4, 4, 4 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := forge(t, c.change)
			buf := aligned(int(s.Catalogue().Bytes(shard.In, 0)))
			_, read := s.ReadShard(shard.In, 0, buf)
			_, streamed := s.StreamShard(shard.Out, 0, buf, shard.Side.CheckValues)
			var verified error
			if err := s.Verify(context.Background(), 1, func(int64) {}, func(err error) { verified = err }); err != nil {
				t.Fatal(err)
			}
			for way, err := range map[string]error{"read": read, "streamed": streamed, "verified": verified} {
				if errors.Is(err, store.ErrDamaged) != (c.says != "") || c.says != "" && !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: %v, want %q", way, err, c.says)
				}
			}
		})
	}
}

// resum writes the checksums of the marker again, as whoever changes a graph's
// files can.
func resum(path string) error {
	name := filepath.Join(path, "GARAPH")
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	var text strings.Builder
	for line := range strings.Lines(string(b)) {
		file := strings.TrimSpace(line[min(9, len(line)):])
		switch content, err := os.ReadFile(filepath.Join(path, "db", file)); {
		case strings.HasPrefix(line, "garaph graph"):
			text.WriteString(line)
		case file == "GARAPH":
			fmt.Fprintf(&text, "%08x GARAPH\n", crc32.Checksum([]byte(text.String()), table))
		case err == nil:
			if strings.HasSuffix(file, ".vlog") {
				content = content[:min(20, len(content))]
			}
			fmt.Fprintf(&text, "%08x %s\n", crc32.Checksum(content, table), file)
		}
	}
	return os.WriteFile(name, []byte(text.String()), 0o666)
}

// manifest is a file MANIFEST with one record of changes.
func manifest(changes ...*pb.ManifestChange) []byte {
	record, err := proto.Marshal(&pb.ManifestChangeSet{Changes: changes})
	if err != nil {
		panic(err) // a test cannot go on
	}
	b := []byte("Bdgr\x00\x00\x00\x08")
	b = binary.BigEndian.AppendUint32(b, uint32(len(record)))
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(record, crc32.MakeTable(crc32.Castagnoli)))
	return append(b, record...)
}

// TestHostileFolders: whatever stands in the folder of a graph, opening it ends
// soon, with an error that names it, and leaves all of it as it was.
func TestHostileFolders(t *testing.T) {
	put := func(name string, b []byte) func(string) error {
		return func(path string) error { return os.WriteFile(filepath.Join(path, name), b, 0o666) }
	}
	grow := func(name string, n int64) func(string) error {
		return func(path string) error { return os.Truncate(filepath.Join(path, name), n) }
	}
	kinds := map[string]func(name string) error{
		"link":   func(name string) error { return os.Symlink(name+".aside", name) },
		"FIFO":   func(name string) error { return unix.Mkfifo(name, 0o666) },
		"folder": func(name string) error { return os.Mkdir(name, 0o777) },
		"socket": func(name string) error { return unix.Mknod(name, unix.S_IFSOCK|0o666, 0) }, // the path may be too long to listen at
	}
	type hostile struct {
		name, says string
		change     func(path string) error
	}
	list := []hostile{
		{"sparse table", "000001.sst has 1099511627776 bytes", grow("db/000001.sst", 1<<40)},
		{"sparse log", "000001.vlog has 1099511627776 bytes", grow("db/000001.vlog", 1<<40)},
		{"short log", "000001.vlog has 3 bytes", grow("db/000001.vlog", 3)},
		{"sparse manifest", "MANIFEST has", grow("db/MANIFEST", 1<<40)},
		{"sparse marker", "GARAPH", grow("GARAPH", 1<<40)},
		{"sparse registry", "KEYREGISTRY has", grow("db/KEYREGISTRY", 1<<32)},
		{"registry with a key", "KEYREGISTRY has", grow("db/KEYREGISTRY", 40)},
		{"table of keys", "not closed", put("db/00001.mem", []byte("x"))},
		{"unknown table", "MANIFEST does not list 000099.sst", put("db/000099.sst", []byte("mine, and it stays"))},
		{"table of a negative number", `"-1.sst"`, put("db/-1.sst", []byte("mine"))},
		{"two logs of a number", `"1.vlog"`, put("db/1.vlog", make([]byte, 20))},
		{"encrypted log", "000001.vlog is encrypted", put("db/000001.vlog", append(bytes.Repeat([]byte{0, 1}, 4), make([]byte, 12)...))},
		{"level", "no graph has", put("db/MANIFEST", manifest(&pb.ManifestChange{Id: 1, Level: math.MaxUint32}))},
		{"packed table", "no graph has", put("db/MANIFEST", manifest(&pb.ManifestChange{Id: 1, Compression: 2}))},
		{"encrypted table", "no graph has", put("db/MANIFEST", manifest(&pb.ManifestChange{Id: 1, KeyId: 7}))},
		{"table twice", "no graph has", put("db/MANIFEST", manifest(&pb.ManifestChange{Id: 1}, &pb.ManifestChange{Id: 1}))},
		{"missing table", "000002.sst is missing", put("db/MANIFEST", manifest(&pb.ManifestChange{Id: 1}, &pb.ManifestChange{Id: 2}))},
		{"cut manifest", "MANIFEST is cut", grow("db/MANIFEST", 20)},
		{"record of 4 GiB", "MANIFEST is cut", put("db/MANIFEST", []byte("Bdgr\x00\x00\x00\x08\xff\xff\xff\xff1234"))},
		{"table of zeros", "000001.sst is not what", put("db/000001.sst", make([]byte, 4096))},
		{"table of ones", "000001.sst is not what", put("db/000001.sst", bytes.Repeat([]byte{0xff}, 4096))},
		{"index beyond", "000001.sst is not what", put("db/000001.sst", []byte("\x7f\xff\xff\xff\x08\x02\x00\x00\x00\x02"))},
	}
	for kind, make := range kinds {
		for _, name := range []string{"GARAPH", "db", "db/000001.sst", "db/000001.vlog", "db/MANIFEST", "db/KEYREGISTRY", "db/DISCARD"} {
			if name == "db" && kind == "folder" {
				continue
			}
			list = append(list, hostile{kind + " for " + name, filepath.Base(name), func(path string) error {
				name := filepath.Join(path, name)
				return errors.Join(os.Rename(name, name+".aside"), make(name))
			}})
		}
	}
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(memoryDir(t), "g")
			write(t, path, random(1, 40, 4000), teststore.Options{ShardVertices: 10})
			if err := c.change(path); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(c.name, "sparse") && !strings.Contains(c.name, " for ") {
				if err := resum(path); err != nil {
					t.Fatal(err)
				}
			}
			before := tree(t, path)
			ended := make(chan error, 1)
			go func() {
				s, err := store.Open(path)
				if err == nil {
					err = errors.Join(errors.New("opened"), s.Close())
				}
				ended <- err
			}()
			select {
			case err := <-ended:
				if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "/proc/self") {
					t.Errorf("got %v, want %q", err, c.says)
				}
			case <-time.After(time.Minute):
				t.Fatal("it hangs")
			}
			if after := tree(t, path); !slices.Equal(before, after) {
				t.Errorf("the folder had %v, and has %v", before, after)
			}
		})
	}
}

// tree lists all that lies below a folder.
func tree(t *testing.T, path string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(path, func(name string, _ fs.DirEntry, err error) error {
		list = append(list, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestLockOfAnother: a file of the user with the name of the lock for imports stays,
// and nothing is waited for.
func TestLockOfAnother(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a file": func(path string) error { return os.WriteFile(path, []byte("mine"), 0o666) },
		"a FIFO": func(path string) error { return unix.Mkfifo(path, 0o666) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lock := filepath.Join(dir, ".g.lock")
			if err := make(lock); err != nil {
				t.Fatal(err)
			}
			w, err := store.Create(filepath.Join(dir, "g"), false)
			if err == nil {
				err = errors.Join(errors.New("it was begun"), w.Abort())
			}
			if !strings.Contains(err.Error(), lock+" has the name of the lock for imports, and is none; move it away") {
				t.Error(err)
			}
			if _, err := os.Lstat(lock); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReadOnlyFolder: an import to a folder in which nothing may be made says so.
func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(filepath.Join(dir, "g"), false); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
