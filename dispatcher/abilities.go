package dispatcher

import (
	"reflect"

	"github.com/garaph/garaph/gas"
)

// abilities are what a program can do beside the methods of every program.
type abilities[V any] struct {
	aggregable gas.Aggregable[V] // nil without the ability
	settleable gas.Settleable[V] // nil without the ability
	restless   bool              // active vertices gather again themselves: the program is not gas.Idempotent
	monotone   bool              // the program is gas.Monotone
}

func abilitiesOf[V any](program any) (a abilities[V]) {
	a.aggregable, _ = program.(gas.Aggregable[V])
	a.settleable, _ = program.(gas.Settleable[V])
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
	a := abilitiesOf[struct{}](program)
	_, aggregates := reflect.TypeOf(program).MethodByName("Aggregate") // with the type of its values, which is not known here
	return a.monotone && !a.restless && !aggregates
}
