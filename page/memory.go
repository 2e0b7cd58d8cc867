package page

import (
	"slices"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
)

func (c *Cache) buffers(n int, size int64, m Memory) (chan []byte, error) {
	ch := make(chan []byte, n)
	for range n {
		b, err := m.Pin(size)
		if err != nil {
			return nil, err
		}
		c.own(b, m)
		ch <- b
	}
	return ch, nil
}

// own takes a buffer that Close is to free.
func (c *Cache) own(b []byte, m Memory) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owned = append(c.owned, owned{b, m})
}

// owned is a buffer and whom it goes back to.
type owned struct {
	bytes  []byte
	memory Memory
}

// memory returns where a side of page p lies while it stays.
func (c *Cache) memory(dir shard.Direction, p int) Memory {
	if p < c.plain {
		return plain{}
	}
	return c.from.pinned(dir)
}

// pinned returns where what a device copies of a side lies.
func (f *sideReader) pinned(dir shard.Direction) Memory {
	if f.opt.Memory != nil && slices.Contains(f.opt.Gather, dir) {
		return f.opt.Memory
	}
	return plain{}
}

// plain is the memory of package hostmem.
type plain struct{}

func (plain) Pin(n int64) ([]byte, error) { return hostmem.Bytes(n) }

func (plain) Unpin(b []byte) error {
	hostmem.FreeBytes(b)
	return nil
}
