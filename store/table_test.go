package store_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dgraph-io/badger/v4/pb"
	"google.golang.org/protobuf/proto"

	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// sealed puts a checksum of Badger's and its length behind b.
func sealed(b []byte) []byte {
	sum, err := proto.Marshal(&pb.Checksum{Sum: uint64(crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))})
	if err != nil {
		panic(err) // a test cannot go on
	}
	return binary.BigEndian.AppendUint32(append(bytes.Clone(b), sum...), uint32(len(sum)))
}

// unsealed is what sealed was given.
func unsealed(b []byte) []byte {
	n := binary.BigEndian.Uint32(b[len(b)-4:])
	return b[: len(b)-4-int(n) : len(b)-4-int(n)]
}

// TestForgedTables: tables of Badger's with sound checksums over any bytes. The
// graph is opened, or refused; the process lives, and ends soon.
func TestForgedTables(t *testing.T) {
	path := filepath.Join(memoryDir(t), "g")
	write(t, path, random(1, 40, 300), teststore.Options{ShardVertices: 5})
	name := filepath.Join(path, "db", "000001.sst")
	sound, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	body := unsealed(sound)
	n := int(binary.BigEndian.Uint32(body[len(body)-4:]))
	blocks, index := body[:len(body)-4-n], body[len(body)-4-n:len(body)-4]
	try := func(blocks, index []byte) {
		t.Helper()
		file := append(bytes.Clone(blocks), index...)
		file = binary.BigEndian.AppendUint32(file, uint32(len(index)))
		sum := sealed(index)[len(index):]
		if err := os.WriteFile(name, append(file, sum...), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := resum(path); err != nil {
			t.Fatal(err)
		}
		if s, err := store.Open(path); err == nil {
			_ = readAll(s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	try(blocks, index)
	if err := readToEnd(path); err != nil {
		t.Fatal(err) // it is as it was
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range index {
		changed := bytes.Clone(index)
		changed[i] ^= byte(1 + rng.IntN(255))
		try(blocks, changed)
	}
	block := unsealed(blocks) // a small graph has one
	for i := range block {
		changed := bytes.Clone(block)
		changed[i] ^= byte(1 + rng.IntN(255))
		try(sealed(changed), index)
	}
}
