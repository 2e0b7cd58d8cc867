package dispatcher

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/internal/beneath"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/store"
)

// speeds are how fast the devices of a job are, in seconds: per edge, or per
// byte. They are measured in every iteration that shows them.
type speeds struct {
	// CPU is per edge or vertex that a pull looks at, Page per edge of the pages
	// that it pulls over: less than that where vertices are settled.
	CPU  float64 `json:"cpu"`
	Page float64 `json:"page"`
	// Notify is per edge along which notify-pull notifies, Least what it takes
	// beside that: it goes over all bits.
	Notify   float64 `json:"notify"`
	Least    float64 `json:"least"`
	Resident float64 `json:"resident"` // per edge that stays on the GPU
	Streamed float64 `json:"streamed"` // per edge that is copied there
	Link     float64 `json:"link"`     // per byte of values
	// Alone and Both are what an iteration of the GPU, or of both, takes beside the
	// work on pages.
	Alone float64 `json:"alone"`
	Both  float64 `json:"both"`
}

// sound gives none where a figure is none of a machine: the file that has them
// can be edited.
func (s speeds) sound() speeds {
	for _, x := range []float64{s.CPU, s.Page, s.Notify, s.Least, s.Resident, s.Streamed, s.Link, s.Alone, s.Both} {
		if x != 0 && !(x > 1e-15 && x < 1e6) {
			return speeds{}
		}
	}
	return s
}

// learn mixes in a new measurement. One that is far off counts as twice the old
// one: it may have been of something else, and a side that looks slow does not
// work, so that nobody sees the mistake.
func (j *Job[V, A]) learn(old *float64, seconds, amount float64) {
	if amount <= 0 || seconds <= 0 || j.opt.speeds != (speeds{}) {
		return
	}
	if *old == 0 {
		*old = seconds / amount
		return
	}
	*old = (*old + min(seconds/amount, 2**old)) / 2
}

// learnCPU takes in a pull over pages of so many edges, that looked at so many
// edges and vertices.
func (j *Job[V, A]) learnCPU(seconds, edges, looked float64) {
	j.learn(&j.speeds.Page, seconds, edges)
	if looked > edges/2 { // otherwise it was busy with what it skipped
		j.learn(&j.speeds.CPU, seconds, looked)
	}
}

// random is how much longer it takes to notify along an edge, somewhere in
// memory, than to look at one of a pull, as long as that was not measured.
const random = 3

// learnNotify takes in an iteration that notified along so many edges.
func (j *Job[V, A]) learnNotify(seconds, edges float64) {
	const few = 1e-4 // of all edges: the rest is what it takes in any case
	if edges < few*float64(j.notifyEdges) {
		j.learn(&j.speeds.Least, seconds, 1)
	} else {
		j.learn(&j.speeds.Notify, max(0, seconds-j.speeds.Least), edges)
	}
}

// From α = leastTried on, the GPU is tried while the CPU works alone, after so many
// times what that takes, for a few iterations, the first of which is slow: it may be
// faster than it was.
const (
	leastTried = 0.2
	triedShare = 50
	tries      = 3
)

// leastGain is what sharing an iteration must save to be chosen: it costs an
// exchange of values.
const leastGain = 0.03

// choose says where an iteration runs (Garaph, section 5.3). α is what the CPU
// would take over what the GPU would: with α ≤ 1 the CPU does it alone. To the
// formula of the paper, α = min(2fp, 1)·T_pull/T_gpu, come the values that the
// one or the other side would have to fetch first. With α > 1 the GPU does it,
// together with the CPU where that saves more than it costs.
func (j *Job[V, A]) choose(m Method, f float64) (d Device, alpha float64) {
	switch {
	case j.gpu == nil || j.pullEdges == 0 && j.opt.Device != GPU:
		return CPU, 0
	case j.pullEdges == 0 || j.opt.Device == GPU && j.residentEdges == j.pullEdges: // nothing is to choose
		return GPU, 0
	}
	s := j.speeds
	cpu := s.CPU * float64(j.pullEdges)
	if j.saturates && j.pulled > 0 {
		cpu = s.CPU * j.pullCost(f)
	}
	if m == NotifyPull {
		notify := random * s.CPU / j.limit * f * float64(j.notifyEdges) // 2fp·|E|, with p = 1 in memory and k out of core
		if s.Notify == 0 {
			cpu = s.Least + notify
		} else { // measured, per edge; but what follows is never more than a pull of all
			cpu = min(s.Least+s.Notify*f*float64(j.notifyEdges), notify+cpu)
		}
	}
	work := max(s.Resident*float64(j.residentEdges), s.Streamed*float64(j.pullEdges-j.residentEdges))
	gpu := s.Alone + work
	var toHost, toGPU float64
	for i, info := range j.cat.Shards {
		bytes := float64(info.Vertices * j.valueBytes())
		if j.hostStale[i] {
			toHost += s.Link * bytes
		}
		if j.gpuStale[i] {
			toGPU += s.Link * bytes
		}
	}
	// Values are fetched once, and save something in each iteration: it is done when
	// as much was missed by staying, which counts for the other side.
	missed := 0.0
	switch {
	case toGPU > 0:
		missed = max(0, j.missed)
	case toHost > 0:
		missed = min(0, j.missed)
	}
	j.missed = missed + cpu - gpu
	alpha = min((cpu+toHost+max(0, missed))/max(gpu+toGPU+max(0, -missed), 1e-12), math.MaxFloat32)
	switch {
	case j.opt.Device == GPU:
		return GPU, alpha
	case alpha > 1:
		j.trying = 0
	case alpha < leastTried || j.trying == 0 && j.untried < triedShare*(gpu+toGPU):
		j.trying = 0
		return CPU, alpha
	case j.trying == 0:
		j.trying = tries
		return GPU, alpha
	default:
		if j.trying--; j.trying == 0 {
			return CPU, alpha
		}
		return GPU, alpha
	}
	exchange := s.Link * float64(j.valueBytes()) * float64(j.cat.Vertices)
	pull := s.Page * float64(j.pullEdges)
	together := cmp.Or(s.Both, 2*s.Alone) + max(pull*work/(pull+work), exchange) + toHost
	if pull > work*float64(len(j.pages.Spans())) || together > (1-leastGain)*gpu {
		return GPU, alpha
	}
	return Hybrid, alpha
}

// measureSpeeds takes the speeds from where an earlier job left them, or from a
// short calibration: a page and a launch on either side, whose results nobody
// sees.
func (j *Job[V, A]) measureSpeeds(ctx context.Context) error {
	if j.speeds = j.opt.speeds; j.speeds != (speeds{}) {
		return nil
	}
	j.speeds = j.keptSpeeds()
	if j.pullEdges == 0 || j.opt.Device == GPU && j.residentEdges == j.pullEdges { // nothing is to choose
		return nil
	}
	if s := j.speeds; s.CPU > 0 && s.Page > 0 && s.Link > 0 && (s.Resident > 0 || j.residentEdges == 0) && (s.Streamed > 0 || j.residentEdges == j.pullEdges) {
		return nil
	}
	for range 2 { // the first time warms up
		j.speeds = speeds{}
		if err := j.measureGPU(ctx); err != nil {
			return err
		}
	}
	for range 2 {
		j.speeds.CPU, j.speeds.Page = 0, 0
		if err := j.measureCPU(ctx); err != nil {
			return err
		}
	}
	return nil
}

// measureCPU times a pull over a page.
func (j *Job[V, A]) measureCPU(ctx context.Context) error {
	for p, err := range j.pages.Stream(ctx, []page.Request{{Page: len(j.pages.Spans()) / 2}}) {
		if err != nil {
			return err
		}
		err = j.timePage(p)
		p.Release()
		if err != nil {
			return err
		}
	}
	if j.speeds.Page == 0 || j.speeds.CPU == 0 { // a page without edges
		j.speeds.Page, j.speeds.CPU = 1e-9, 1e-9
	}
	return nil
}

// timePage times a pull over a page. Nothing is published.
func (j *Job[V, A]) timePage(p *page.Page) error {
	shards := shardsOf(p)
	start := time.Now()
	j.keep(j.arrays.Next, shards)
	s, err := j.cpu.Process(p, cpuengine.Work{Step: j.step})
	took := time.Since(start).Seconds()
	clear(j.arrays.Rising)
	if err != nil {
		return err
	}
	j.learnCPU(took, j.edgesOf(shards), float64(s.Edges+s.Vertices))
	return nil
}

// lookAtCPU measures the CPU while the GPU works alone, by a page that is in
// memory. What goes wrong with it does so again where it matters.
func (j *Job[V, A]) lookAtCPU() {
	i := len(j.pages.Spans()) / 2
	if j.opt.Device == GPU || !j.pages.Stays(i) {
		return
	}
	if p, err := j.pages.Get(page.Request{Page: i}); err == nil {
		_ = j.timePage(p)
		p.Release()
	}
}

// edgesOf is how many edges shards have.
func (j *Job[V, A]) edgesOf(shards []int) (n float64) {
	for _, i := range shards {
		n += float64(j.edges[i])
	}
	return n
}

// sample is the source of an iteration over one launch, or one page.
type sample struct {
	pieces int
	pages  *page.Cache
	one    []page.Request
}

func (s *sample) Stay() (from, to int) {
	to, s.pieces = s.pieces, 0
	return 0, to
}

func (s *sample) Pages(ctx context.Context) iter.Seq2[*page.Page, error] {
	return s.pages.Stream(ctx, s.one)
}

func (s *sample) Done(gpuengine.PageTime) {}

// measureGPU times an iteration over a part of what stays, and one over a page
// that does not. Nothing is committed; in async mode the values are copied once
// more.
func (j *Job[V, A]) measureGPU(ctx context.Context) error {
	pieces := j.gpu.Pieces()
	if len(pieces) > 0 {
		s, seconds, err := j.try(ctx, &sample{pieces: j.gpu.Enough(0), pages: j.pages})
		if err != nil {
			return err
		}
		j.learn(&j.speeds.Resident, seconds, float64(s.Edges))
	}
	if resident := j.residentShards(); resident < len(j.firsts) {
		list := gpuengine.Requests(j.pages.Spans(), resident, len(j.firsts))
		one := list[len(list)/2 : len(list)/2+1]
		for range 2 { // after the first one the page is in memory, if it stays there
			s, seconds, err := j.try(ctx, &sample{pages: j.pages, one: one})
			if err != nil {
				return err
			}
			j.speeds.Streamed = 0
			j.learn(&j.speeds.Streamed, seconds, max(1, float64(s.Edges))) // a page without edges
		}
	}
	start := time.Now()
	if err := j.gpu.Upload(0, j.cat.Vertices); err != nil {
		return err
	}
	j.learn(&j.speeds.Link, time.Since(start).Seconds(), float64(j.cat.Vertices)*float64(j.valueBytes()))
	return nil
}

func (j *Job[V, A]) try(ctx context.Context, from gpuengine.Source) (gpuengine.Stats, float64, error) {
	start := time.Now()
	s, err := j.gpu.Iterate(ctx, gpuengine.Work{Step: j.step, From: from, Quiet: true})
	return s, time.Since(start).Seconds(), err
}

// speedsKey names what speeds depend on.
func (j *Job[V, A]) speedsKey() string {
	from := "disk"
	if j.pages.InMemory() {
		from = "memory"
	}
	return fmt.Sprintf("%s, %d threads, from %s, %T", j.device.Info().Name, j.opt.Threads, from, j.program)
}

// speedsLimit is more than the file of the speeds has.
const speedsLimit = 1 << 20

// readSpeeds reads what jobs over a graph have measured, by key; nothing of it
// when it cannot be read.
func readSpeeds(graph *beneath.Folder) map[string]speeds {
	var all map[string]speeds
	text, err := graph.ReadFile(store.SpeedsFile, speedsLimit)
	if err != nil || json.Unmarshal(text, &all) != nil || all == nil { // null is JSON too
		return map[string]speeds{}
	}
	return all
}

// keptSpeeds are those of earlier jobs like this one.
func (j *Job[V, A]) keptSpeeds() speeds {
	graph, err := beneath.Open(j.store.Path())
	if err != nil {
		return speeds{}
	}
	defer graph.Close()
	return readSpeeds(graph)[j.speedsKey()].sound()
}

// keepSpeeds leaves them to later jobs. A graph that cannot be written to does
// without.
func (j *Job[V, A]) keepSpeeds() {
	if j.device == nil || j.speeds == (speeds{}) || j.opt.speeds != (speeds{}) {
		return
	}
	if err := j.writeSpeeds(); err != nil {
		j.opt.Log.Debug("the speeds of the devices are not kept", zap.Error(err))
	}
}

func (j *Job[V, A]) writeSpeeds() error {
	graph, err := beneath.Open(j.store.Path())
	if err != nil {
		return err
	}
	defer graph.Close()
	all := readSpeeds(graph)
	all[j.speedsKey()] = j.speeds
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return replaceFile(graph, store.SpeedsFile, append(text, '\n'))
}

// replaceFile writes a small file as a whole: other jobs read it meanwhile. What
// is no regular file stays.
func replaceFile(graph *beneath.Folder, name string, text []byte) error {
	if there, err := graph.Open(name); err == nil {
		_ = there.Close() // only looked at
	} else if errors.Is(err, beneath.ErrKind) {
		return err
	}
	temporary := fmt.Sprintf("%s.%d", name, rand.Uint32())
	f, err := graph.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = graph.Rename(temporary, name)
	}
	if err != nil {
		err = errors.Join(err, graph.Remove(temporary))
	}
	return err
}
