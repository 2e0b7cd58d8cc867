package dispatcher

import (
	"reflect"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/gas"
)

// abilities are what a program has beside the methods of every one, and what a job keeps
// for them.
type abilities[V any] struct {
	aggregable gas.Aggregable[V] // nil without the ability, as is aggregates
	aggregates []float64         // by shard
	settleable gas.Settleable[V] // nil without the ability
	unsettled  []uint32          // by shard, the first vertex that was not settled when last looked
	restless   bool              // active vertices gather again themselves: the program is not gas.Idempotent
	monotone   bool              // the program is gas.Monotone
}

func abilitiesOf[V any](program any, firsts []uint32) (a abilities[V]) {
	if a.aggregable, _ = program.(gas.Aggregable[V]); a.aggregable != nil {
		a.aggregates = make([]float64, len(firsts))
	}
	if a.settleable, _ = program.(gas.Settleable[V]); a.settleable != nil {
		a.unsettled = append([]uint32(nil), firsts...)
	}
	idempotent, able := program.(gas.Idempotent)
	a.restless = !able || !idempotent.Idempotent()
	monotone, able := program.(gas.Monotone)
	a.monotone = able && monotone.Monotone()
	return a
}

// Improves reports whether a program is of the kind that can advance frontiers ([Frontier]): its
// values only get better from neighbour to neighbour. Their type may still be one of which no
// frontier is made, which a job says.
func Improves(program any) bool {
	a := abilitiesOf[struct{}](program, nil)
	_, aggregates := reflect.TypeOf(program).MethodByName("Aggregate") // with the type of its values, which is not known here
	return a.monotone && !a.restless && !aggregates
}

// aggregate is the global aggregate, summed in the order of the shards.
func (a *abilities[V]) aggregate() float64 {
	var sum float64
	for _, x := range a.aggregates {
		sum += x
	}
	return sum
}

// resum sums the aggregate over the host's values, by shard.
func (j *Job[V, A]) resum() error {
	j.standing.position.unsummed = false
	if j.abilities.aggregable == nil {
		return nil
	}
	var g errgroup.Group
	g.SetLimit(j.opt.Threads)
	for i := range j.shape.firsts {
		g.Go(func() error {
			sum := 0.0
			err := j.eachVertex(i, func(v gas.Vertex) { sum += j.abilities.aggregable.Aggregate(v, j.arrays.Cur[v.ID]) })
			j.abilities.aggregates[i] = sum
			return err
		})
	}
	return g.Wait()
}

// settled reports whether every vertex of shard i is. What is settled stays so:
// the search goes on where it ended.
func (j *Job[V, A]) settled(i int) bool {
	if j.abilities.settleable == nil || !j.workers.place.current(host, i) { // a value of before says nothing about this step
		return false
	}
	_, to := j.shape.interval(i)
	v := j.abilities.unsettled[i]
	for v < to && j.abilities.settleable.Settled(j.arrays.Cur[v], j.standing.position.step) {
		v++
	}
	j.abilities.unsettled[i] = v
	return v == to
}
