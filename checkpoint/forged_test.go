package checkpoint

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
)

// reseal writes the checksums of the files of an epoch, as whoever forges one can.
func reseal(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(folder, dbDir))
	if err != nil {
		t.Fatal(err)
	}
	lines := ""
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, dbDir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() != discardFile {
			lines += sealLine(e.Name(), int64(len(b)), crc32.Checksum(b, castagnoli))
		}
	}
	if err := os.WriteFile(filepath.Join(folder, sealFile), []byte(sealText(sealHead, lines)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestForgedDatabase changes Badger's files of an epoch, under right checksums: the
// epoch before it is taken, or this one where its values are as they were. Badger
// would end the process, in a goroutine of its own.
func TestForgedDatabase(t *testing.T) {
	j, older, newer := twoEpochs(t)
	folder := j.Epochs().epochPath(2)
	forge := func(name string, change func(b []byte) []byte) {
		t.Helper()
		path := filepath.Join(folder, dbDir, name)
		sound, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, change(append([]byte{}, sound...)), 0o666); err != nil {
			t.Fatal(err)
		}
		reseal(t, folder)
		var got memory
		r, err := j.Restore(t.Context(), &got)
		if err != nil || !(r.Number == 1 && got.same(older) || r.Number == 2 && got.same(newer)) {
			t.Errorf("%s: epoch %d, %v passed over, error %v", name, r.Number, r.Passed, err)
		}
		j.Epochs().passed = nil
		if err := os.WriteFile(path, sound, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"000001.sst", "MANIFEST", "KEYREGISTRY"} {
		info, err := os.Stat(filepath.Join(folder, dbDir, name))
		if err != nil {
			t.Fatal(err)
		}
		n := int(info.Size())
		for at := max(0, n-300); at < n; at += 3 { // the ends of tables have the places of all else
			forge(name, func(b []byte) []byte { b[at] ^= 0x41; return b })
			forge(name, func(b []byte) []byte { return b[:at] })
		}
		forge(name, func(b []byte) []byte { return append(b, fmt.Sprint(n)...) })
	}
}

// TestForgedLog changes the heads of entries in an epoch's value log, under right
// checksums. Badger would return without giving back its lock on the log, and closing
// the database would wait for ever.
func TestForgedLog(t *testing.T) {
	j, older, newer := twoEpochs(t)
	folder := j.Epochs().epochPath(2)
	names, err := filepath.Glob(filepath.Join(folder, dbDir, "*.vlog"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v", names, err)
	}
	sound, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	const fileHead, entryHead = 20, 20
	passed := 0
	for at := fileHead; at < fileHead+entryHead; at++ {
		for _, b := range []byte{0, 0x7f, 0xff} {
			forged := bytes.Clone(sound)
			forged[at] = b
			if err := os.WriteFile(names[0], forged, 0o666); err != nil {
				t.Fatal(err)
			}
			reseal(t, folder)
			what := fmt.Sprintf("%#x at %d", b, at)
			soon(t, what, func() {
				var got memory
				r, err := j.Restore(t.Context(), &got)
				if err != nil || !(r.Number == 1 && got.same(older) || r.Number == 2 && got.same(newer)) {
					t.Errorf("%s: epoch %d, %v passed over, error %v", what, r.Number, r.Passed, err)
				}
				passed += len(r.Passed)
			})
			j.Epochs().passed = nil
		}
	}
	if passed == 0 {
		t.Error("no change was noticed")
	}
}
