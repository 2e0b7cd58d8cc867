package packedrows

import "github.com/garaph/garaph/shard"

// Decode decodes a blob of packed rows.
func Decode(blob []byte) (*Side, error) {
	s, err := shard.Decode(blob)
	if err != nil {
		return nil, err
	}
	return s.(*Side), nil
}
