package gap

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/garaph/garaph/ingest/read"
)

// Raw edges: (u32 source, u32 target) or (u32, u32, f32 weight), little-endian
// and without a header; in format raww64, (u32, u32, f64).

// rawBody reads raw edges.
type rawBody struct {
	record  int   // bytes of an edge
	most    int64 // the largest id that there may be
	weights bool  // weights are wanted
}

// planRaw checks the size, where it is known before the end.
func planRaw(p *read.Plan, h *read.Head, o read.Options) error {
	t := &rawBody{record: map[read.FormatName]int{Raw: 8, RawW: 12, RawW64: 16}[p.Schema.Format]}
	t.weights = t.record > 8 && o.Weights != read.WeightsNo
	p.TakeIDs(o.IDs)
	p.Schema.Weighted = t.weights
	switch {
	case p.Schema.Vertices >= 0:
		t.most = p.Schema.Vertices - 1
	case p.Schema.IDs == read.IDDense:
		t.most = read.MaxDense // the largest uint32 is none
	default:
		t.most = math.MaxUint32
	}
	if size, known := h.Size(); known && size%int64(t.record) != 0 {
		return t.undivided(p, size)
	}
	p.Body = t
	return nil
}

// undivided returns the error of a size that is no number of edges.
func (t *rawBody) undivided(p *read.Plan, size int64) error {
	return p.Damaged("%d bytes are no whole number of %d-byte edges: the file is truncated, or not in format %s", size,
		t.record, p.Schema.Format)
}

// Feed cuts r into blocks of whole edges.
func (t *rawBody) Feed(f *read.Feed, plan *read.Plan, r io.Reader) error {
	for at := int64(0); ; {
		buf, err := f.Pool.Get(f.Ctx)
		if err != nil {
			return err
		}
		buf = buf[:len(buf)/t.record*t.record]
		n, readErr := read.Full(r, buf)
		whole := n / t.record * t.record
		if err := f.Emit(&read.Block{Plan: plan, Data: buf[:whole], At: at}); err != nil {
			return err
		}
		at += int64(n)
		switch {
		case readErr == io.EOF && whole < n:
			return t.undivided(plan, at)
		case readErr == io.EOF:
			return nil
		case readErr != nil:
			return readErr
		}
	}
}

// Parse delivers the edges of one block.
func (t *rawBody) Parse(b *read.Block, w *read.Parser) error {
	batch := w.Batch
	for at := 0; at < len(b.Data); {
		if batch.Full() {
			if err := batch.Flush(); err != nil {
				return err
			}
		}
		n := min(batch.Size()-batch.N, (len(b.Data)-at)/t.record)
		part := b.Data[at : at+n*t.record]
		sound := t.pairs(part, batch.Src[batch.N:], batch.Dst[batch.N:])
		for i := 0; t.weights && i < sound; i++ {
			e := part[i*t.record+8:]
			x := float64(math.Float32frombits(binary.LittleEndian.Uint32(e)))
			if t.record == 16 {
				x = math.Float64frombits(binary.LittleEndian.Uint64(e))
			}
			if !(x >= 0 && x <= math.MaxFloat32) {
				return t.refused(b, at+i*t.record, strconv.FormatFloat(x, 'g', -1, 8*(t.record-8)),
					"a finite weight that is not negative", "use --weights no to pass over the weights")
			}
			batch.Weight[batch.N+i] = x + 0 // a negative zero becomes a plain one
		}
		if sound < n {
			e := part[sound*t.record:]
			return t.refusedID(b, at+sound*t.record, max(binary.LittleEndian.Uint32(e), binary.LittleEndian.Uint32(e[4:])))
		}
		batch.N += n
		at += len(part)
	}
	return nil
}

// pairs decodes the ends of edges up to the first that there may not be, and returns how many.
func (t *rawBody) pairs(data []byte, src, dst []uint64) int {
	n := len(data) / t.record
	src, dst = src[:n], dst[:n]
	for i := range src {
		e := binary.LittleEndian.Uint64(data[i*t.record:])
		u, v := e&math.MaxUint32, e>>32
		if int64(max(u, v)) > t.most {
			return i
		}
		src[i], dst[i] = u, v
	}
	return n
}

// refusedID returns the error of the edge at data[i], whose larger id is none.
func (t *rawBody) refusedID(b *read.Block, i int, id uint32) error {
	advice := "use --ids int for ids that are not dense"
	if b.Plan.Schema.Vertices >= 0 {
		advice = "give --vertices the largest id + 1 or more, or leave it out"
	}
	return t.refused(b, i, strconv.FormatUint(uint64(id), 10), fmt.Sprintf("dense ids up to %d", t.most), advice)
}

// refused returns the error of the edge at data[i].
func (t *rawBody) refused(b *read.Block, i int, text, expected, advice string) error {
	at := b.At + int64(i)
	return &read.SyntaxError{
		File: b.Plan.Name(), Offset: at, Text: text,
		Expected: fmt.Sprintf("%s in edge %d", expected, at/int64(t.record)), Advice: advice,
	}
}
