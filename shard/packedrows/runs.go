package packedrows

import (
	"encoding/binary"
	"fmt"

	"github.com/garaph/garaph/shard"
)

// RunVertices is the number of vertices that have their rows in a run.
const RunVertices = 1 << runShift

const runShift = 2

// Runs returns the number of runs of the rows of a number of vertices.
func Runs(vertices int) int { return (vertices + RunVertices - 1) / RunVertices }

// HeadBytes returns the size of the beginning of a blob that [DecodeHead] needs,
// by its first 64.
func HeadBytes(header []byte, size int64) (int64, error) {
	h, err := layoutOf(header, size)
	return int64(shard.HeaderBytes + h.sections()[0]), err
}

// DecodeHead checks and reads header and index of a blob of a size. Of the side,
// [Side.In] can be used, and the index of its result. The head must be 4-byte aligned, and
// stay alive and unchanged as long as these are used.
func DecodeHead(head []byte, size int64) (*Side, error) {
	h, err := layoutOf(head, size)
	if err != nil {
		return nil, err
	}
	end := shard.HeaderBytes + h.sections()[0]
	if err := shard.CheckSection(head[shard.HeaderBytes:end], binary.LittleEndian.Uint32(head[32:]), "index",
		shard.HeaderBytes); err != nil {
		return nil, err
	}
	s := h.head(head)
	return s, s.checkIndex()
}

// checkIndex reports whether the places in the index ascend and lie in the rows.
func (s *Side) checkIndex() error {
	last := 0
	for i := range s.runs {
		at := s.begin(i)
		if at < last || at > s.end || i == 0 && at != 0 {
			return fmt.Errorf("%w: entry %d of the index is %d, behind %d, and the rows end at %d", shard.ErrInvalid, i, at,
				last, s.end)
		}
		last = at
	}
	return nil
}

// In returns the side with its rows in a blob, or in memory of its size: a run can be used as
// soon as it lies in its place and [Side.CheckRun] has seen it.
func (s *Side) In(blob []byte) *Side {
	in := *s
	in.blob = blob
	in.data = blob[len(blob)-pad(s.end+slack):]
	return &in
}

// Run returns the run with the row of local vertex v, and where in the blob it lies.
func (s *Side) Run(v int) (i int, from, to int64) {
	i = v >> runShift
	data := int64(len(s.blob) - len(s.data))
	begin, end := s.bounds(i)
	return i, data + int64(begin), data + int64(end)
}

// bounds returns where run i lies in the rows.
func (s *Side) bounds(i int) (from, to int) {
	if i+1 < s.runs {
		return s.begin(i), s.begin(i + 1)
	}
	return s.begin(i), s.end
}

func (s *Side) run(i int) []byte {
	from, to := s.bounds(i)
	return s.data[from:to]
}

func (s *Side) checkSum(i int) error {
	if got := shard.Checksum(s.run(i)); got != s.sums[i] {
		from, _ := s.bounds(i)
		return fmt.Errorf("%w in run %d of the rows (offset %d): stored %08x, computed %08x", shard.ErrChecksum, i,
			len(s.blob)-len(s.data)+from, s.sums[i], got)
	}
	return nil
}

// CheckRun checks run i as Decode and CheckValues check a whole side, in a graph of n
// vertices: afterwards, no more than the blob is read by whatever is done with its rows.
func (s *Side) CheckRun(i int, n uint32) error {
	if err := s.checkSum(i); err != nil {
		return err
	}
	first := i * RunVertices
	at, to := s.bounds(i)
	base := s.base(first)
	s.last = 0
	for v := first; v < min(first+RunVertices, s.header.Vertices); v++ {
		r, end, last, err := s.walkRow(v, at, base)
		if err != nil {
			return err
		}
		s.last = max(s.last, last)
		at, base = end, r.first
	}
	if at != to {
		return fmt.Errorf("%w: run %d of the rows ends at %d, the index says %d", shard.ErrInvalid, i, at, to)
	}
	return s.CheckValues(n)
}
