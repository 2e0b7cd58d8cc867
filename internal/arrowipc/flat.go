package arrowipc

import "encoding/binary"

// table is a table of a flatbuffer, in which the metadata of messages is written. Whatever the bytes are,
// reading stays within them: what is not there is zero, and sets bad.
type table struct {
	b   []byte
	at  int
	bad *bool
}

// rootTable is the table that a buffer begins with.
func rootTable(b []byte, bad *bool) table {
	t := table{b: b, bad: bad}
	t.at = t.offset(0)
	return t
}

func (t table) u16(at int) int {
	if at < 0 || at > len(t.b)-2 {
		*t.bad = true
		return 0
	}
	return int(binary.LittleEndian.Uint16(t.b[at:]))
}

func (t table) u32(at int) int {
	if at < 0 || at > len(t.b)-4 {
		*t.bad = true
		return 0
	}
	return int(binary.LittleEndian.Uint32(t.b[at:]))
}

func (t table) i64At(at int) int64 {
	if at < 0 || at > len(t.b)-8 {
		*t.bad = true
		return 0
	}
	return int64(binary.LittleEndian.Uint64(t.b[at:]))
}

// offset follows the reference at a place.
func (t table) offset(at int) int {
	to := at + t.u32(at)
	if to <= at || to >= len(t.b) {
		*t.bad = true
		return 0
	}
	return to
}

// slot is the place of the i-th field; 0 when it has its default.
func (t table) slot(i int) int {
	vtable := t.at - int(int32(t.u32(t.at)))
	size := t.u16(vtable)
	if 4+2*i+2 > size {
		return 0
	}
	field := t.u16(vtable + 4 + 2*i)
	if field == 0 {
		return 0
	}
	return t.at + field
}

func (t table) byte(i int) int {
	at := t.slot(i)
	switch {
	case at == 0:
		return 0
	case at >= len(t.b):
		*t.bad = true
		return 0
	}
	return int(t.b[at])
}

func (t table) i16(i, fallback int) int {
	if at := t.slot(i); at != 0 {
		return int(int16(t.u16(at)))
	}
	return fallback
}

func (t table) i32(i int) int {
	if at := t.slot(i); at != 0 {
		return int(int32(t.u32(at)))
	}
	return 0
}

func (t table) i64(i int) int64 {
	if at := t.slot(i); at != 0 {
		return t.i64At(at)
	}
	return 0
}

// table is the i-th field, which is a table; false when there is none.
func (t table) table(i int) (table, bool) {
	at := t.slot(i)
	if at == 0 {
		return table{}, false
	}
	return table{t.b, t.offset(at), t.bad}, !*t.bad
}

// vector is where the elements of the i-th field begin, and how many there are, each of so many
// bytes.
func (t table) vector(i, size int) (at, n int) {
	at = t.slot(i)
	if at == 0 {
		return 0, 0
	}
	at = t.offset(at)
	n = t.u32(at)
	if at += 4; n > (len(t.b)-at)/size {
		*t.bad = true
		return 0, 0
	}
	return at, n
}

func (t table) string(i int) string {
	at, n := t.vector(i, 1)
	return string(t.b[at : at+n])
}
