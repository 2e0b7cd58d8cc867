package dispatcher

import (
	"bytes"
	"time"
	"unsafe"

	"github.com/garaph/garaph/dispatcher/policy"
)

// Values lie on the host and on the GPU. An iteration that both do leaves both
// with all new values; one that the one does alone leaves the other behind, shard
// by shard, until it is needed.

// exchangeBytes is the unit in which values that changed are told from those
// that did not.
const exchangeBytes = 64 << 10

func (j *Job[V, A]) valueBytes() int {
	var v V
	return int(unsafe.Sizeof(v))
}

// fetch brings the host's values and active set up to date. When it fails, they
// are as they were.
func (j *Job[V, A]) fetch() error {
	if j.gpu == nil || !j.behind {
		return nil
	}
	j.keep(j.arrays.Next, j.allShards())
	stale := runs(j.hostStale)
	start, n := time.Now(), 0.0
	for _, r := range stale {
		from, to := j.vertices(r)
		if err := j.gpu.Download(from, to); err != nil {
			return err
		}
		n += float64(to-from) * float64(j.valueBytes())
	}
	j.policy.learn(policy.Measurement{Link: policy.Took{Seconds: time.Since(start).Seconds(), Amount: n}})
	clear(j.arrays.Rising)
	if err := j.gpu.Active(); err != nil {
		clear(j.arrays.Rising)
		return err
	}
	if len(stale) == 1 && stale[0] == (span{0, len(j.firsts)}) {
		j.arrays.Swap()
	} else {
		for _, r := range stale {
			from, to := j.vertices(r)
			j.keep(j.arrays.Cur, shardsOfSpan(r))
			j.arrays.Publish(from, to, false)
		}
	}
	j.arrays.Advance()
	clear(j.hostStale)
	j.behind = false
	return nil
}

// upload brings the GPU's values up to date.
func (j *Job[V, A]) upload() error {
	for _, r := range runs(j.gpuStale) {
		if err := j.gpu.Upload(j.vertices(r)); err != nil {
			return err
		}
	}
	clear(j.gpuStale)
	return nil
}

// tell sends the new values of shards that the CPU has done to the GPU, those
// that differ from the old ones.
func (j *Job[V, A]) tell(shards []int) error {
	block := uint32(max(1, exchangeBytes/max(1, j.valueBytes())))
	send := span{-1, -1}
	flush := func() error {
		if send.from < 0 {
			return nil
		}
		err := j.gpu.Receive(uint32(send.from), uint32(send.to))
		send = span{-1, -1}
		return err
	}
	for _, i := range shards {
		first, end := j.interval(i)
		for from := first; from < end; from += min(block, end-from) {
			to := from + min(block, end-from)
			if bytes.Equal(bytesOf(j.arrays.Cur[from:to]), bytesOf(j.arrays.Next[from:to])) {
				continue
			}
			if send.to != int(from) {
				if err := flush(); err != nil {
					return err
				}
				send.from = int(from)
			}
			send.to = int(to)
		}
	}
	return flush()
}

// runs are the runs of true.
func runs(list []bool) (r []span) {
	for i, x := range list {
		switch n := len(r); {
		case !x:
		case n > 0 && r[n-1].to == i:
			r[n-1].to++
		default:
			r = append(r, span{i, i + 1})
		}
	}
	return r
}

// vertices are those of a run of shards.
func (j *Job[V, A]) vertices(r span) (from, to uint32) {
	from, _ = j.interval(r.from)
	_, to = j.interval(r.to - 1)
	return from, to
}

func shardsOfSpan(r span) []int {
	list := make([]int, 0, r.to-r.from)
	for i := r.from; i < r.to; i++ {
		list = append(list, i)
	}
	return list
}

func (j *Job[V, A]) allShards() []int { return shardsOfSpan(span{0, len(j.firsts)}) }
