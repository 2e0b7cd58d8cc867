package rowweights

import (
	"fmt"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
)

// HeadBytes returns the size of the beginning of a blob that [DecodeHead] needs,
// by its first 64.
func HeadBytes(header []byte, size int64) (int64, error) {
	h, err := layoutOf(header, size)
	n := h.sections()
	return int64(shard.HeaderBytes + n[0] + n[1]), err
}

// DecodeHead checks and reads header, dictionary and index of a blob of a size: see
// [packedrows.DecodeHead].
func DecodeHead(head []byte, size int64) (*Side, error) {
	h, err := layoutOf(head, size)
	if err == nil {
		err = h.check(head, 2)
	}
	if err != nil {
		return nil, err
	}
	s := h.head(head)
	if err := s.checkIndex(); err != nil {
		return nil, err
	}
	return s, s.checkCodes(nil)
}

// In returns the weights with their codes in a blob, or in memory of its size: see
// [packedrows.Side.In].
func (s *Side) In(blob []byte) *Side {
	in := *s
	in.blob = blob
	bytes := int(s.header.Edges) * s.CodeBytes()
	in.codes = blob[len(blob)-pad(bytes):][:bytes]
	return &in
}

// Run returns the run with the weights of the row of local vertex v, where in the blob it lies,
// and its first edge.
func (s *Side) Run(v int) (i int, from, to int64) {
	i = v / packedrows.RunVertices
	codes := int64(len(s.blob) - pad(len(s.codes)))
	begin, end := s.bounds(i)
	return i, codes + int64(begin), codes + int64(end)
}

// First returns the first edge of run i.
func (s *Side) First(i int) int { return int(s.index[i]) }

// bounds returns where run i lies in the codes.
func (s *Side) bounds(i int) (from, to int) {
	end := s.header.Edges
	if i+1 < len(s.index) {
		end = s.index[i+1]
	}
	return int(s.index[i]) * s.CodeBytes(), int(end) * s.CodeBytes()
}

func (s *Side) run(i int) []byte {
	from, to := s.bounds(i)
	return s.codes[from:to]
}

func (s *Side) checkSum(i int) error {
	if got := shard.Checksum(s.run(i)); got != s.sums[i] {
		_, from, _ := s.Run(i * packedrows.RunVertices)
		return fmt.Errorf("%w in run %d of the codes (offset %d): stored %08x, computed %08x", shard.ErrChecksum, i, from,
			s.sums[i], got)
	}
	return nil
}

// AppendRun appends run i to a list, as far as its capacity, and reports whether there was
// room for it: whole, whichever rows are dropped.
func (s *Side) AppendRun(to []byte, i int, _ uint8) ([]byte, bool) {
	run := s.run(i)
	if len(to)+len(run) > cap(to) {
		return to, false
	}
	return append(to, run...), true
}

// CheckRun checks run i as Decode and CheckValues check a whole blob, of any graph.
func (s *Side) CheckRun(i int, _ uint32) error {
	if err := s.checkSum(i); err != nil {
		return err
	}
	return s.checkCodes(s.run(i))
}

// CodeBytes returns the size of the weight of an edge.
func (s *Side) CodeBytes() int { return (&layout{Header: s.header, coding: s.coding}).codeBytes() }
