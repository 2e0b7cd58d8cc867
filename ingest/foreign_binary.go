package ingest

import (
	"archive/tar"
	"bytes"
	"strings"
)

// foreignBinary names a binary format that no name of a file says, and what to do about it; "" for others.
func foreignBinary(name string, b []byte) (what, advice string) {
	file := shellWord(name)
	begins := func(magic string) bool { return bytes.HasPrefix(b, []byte(magic)) }
	switch {
	case begins("SQLite format 3\x00"):
		return "is a database of SQLite", "give its edges on standard input, with the table and the columns that `sqlite3 " + file + " .schema` shows: sqlite3 -csv " + file +
			" 'select source, target from edges' | garaph import --delimiter , --no-header - edges.graph"
	case begins("\x93NUMPY"):
		return arrayOfNumPy(name, b)
	case begins("MATLAB 5.0 MAT-file"):
		return "is a file of MATLAB", "write its matrix as Matrix Market, as scipy.io.mmwrite does, or mmwrite in MATLAB"
	case begins("Obj\x01"):
		return "is an Avro file", "write it as Parquet, Arrow or CSV"
	case begins("ORC"):
		return "is an ORC file", "write it as Parquet, Arrow or CSV"
	case len(b) > 3 && b[0] == 0x80 && b[1] >= 2 && b[1] <= 5:
		return "is a pickle of Python", "load it in Python, if you trust who wrote it, and write its edges as text, as networkx.write_weighted_edgelist does"
	}
	if member, is := tarMember(b); is {
		return "is a tar archive", "give a file in it on standard input: tar xOf " + file + " " + shellWord(member) + " | garaph import - edges.graph"
	}
	return "", ""
}

// tarMember is the largest file of those that an archive begins with.
func tarMember(b []byte) (name string, is bool) {
	const magicAt = 257
	if len(b) < magicAt+5 || string(b[magicAt:magicAt+5]) != "ustar" {
		return "", false
	}
	name = "MEMBER"
	largest := int64(-1)
	for archive := tar.NewReader(bytes.NewReader(b)); ; {
		h, err := archive.Next()
		if err != nil {
			return name, true
		}
		if h.Typeflag == tar.TypeReg && h.Size > largest && !strings.HasPrefix(h.Name, "-") {
			name, largest = h.Name, h.Size
		}
	}
}
