package ptx

import (
	"fmt"
	"math"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compiled"
)

// operand is a scalar: a register, an immediate or the name of an input.
type operand struct {
	text string
	kind compiled.Kind
}

// value is an SSA value at run time: the leaves of its type, or the
// results of a call, or a place known at compile time.
type value struct {
	leaves []operand
	tuple  []value
	place  *place
}

// mostInstructions is the largest number of instructions of a fragment.
const mostInstructions = 100_000

// emitter writes the instructions of one fragment.
type emitter struct {
	list      []*inst
	registers int
	labels    int
	end       string // label behind the last instruction

	refuse func(i ssa.Instruction, construct, instead string)
}

func (e *emitter) register(k compiled.Kind) operand {
	e.registers++
	prefix := wordPrefix
	if width(k) == 64 {
		prefix = longPrefix
	}
	return operand{prefix + strconv.Itoa(e.registers), k}
}

// input is a parameter of the method. Weights of edges are float32 in kernels.
func (e *emitter) input(name string, k compiled.Kind) operand {
	if name != "${edge.weight}" {
		return operand{name, k}
	}
	return e.convert(operand{name, compiled.Float32}, k)
}

func (e *emitter) predicate() string {
	e.registers++
	return predicatePrefix + strconv.Itoa(e.registers)
}

func (e *emitter) label() string {
	e.labels++
	return fmt.Sprintf("L%d", e.labels)
}

func (e *emitter) add(i *inst) {
	if len(e.list) > mostInstructions {
		panic(tooLong{})
	}
	e.list = append(e.list, i)
}

// tooLong ends the work on a fragment.
type tooLong struct{}

// op appends an instruction and returns the new register that it sets.
func (e *emitter) op(k compiled.Kind, op string, src ...operand) operand {
	dst := e.register(k)
	e.into(dst.text, op, src...)
	return dst
}

func (e *emitter) into(dst, op string, src ...operand) {
	texts := make([]string, len(src))
	for i, s := range src {
		texts[i] = s.text
	}
	e.add(&inst{op: op, dst: dst, src: texts})
}

// test appends a comparison, as in "lt.s32", and returns its predicate.
func (e *emitter) test(op string, a, b operand) string {
	p := e.predicate()
	e.into(p, "setp."+op, a, b)
	return p
}

// pick is a where p holds, b elsewhere.
func (e *emitter) pick(p string, a, b operand) operand {
	return e.op(a.kind, "selp."+selectType(a.kind), a, b, operand{text: p})
}

func selectType(k compiled.Kind) string {
	if float(k) {
		return suffix(k)
	}
	return untyped(k)
}

// move copies src to a register that others may also assign to.
func (e *emitter) move(dst, src operand) {
	if dst.kind != invalid {
		e.into(dst.text, "mov."+selectType(dst.kind), src)
	}
}

func (e *emitter) jump(label string) { e.add(&inst{op: "bra", target: label}) }

func (e *emitter) jumpIf(p, label string) { e.add(&inst{guard: p, op: "bra", target: label}) }

func (e *emitter) place(label string) { e.add(&inst{label: label}) }

// faultIf ends the fragment with a fault where p holds.
func (e *emitter) faultIf(p string, f compiled.Fault) {
	past := e.label()
	e.jumpIf("!"+p, past)
	e.fault(f)
	e.place(past)
}

func (e *emitter) fault(f compiled.Fault) {
	e.into("${fault}", "mov.b32", integerOf(compiled.Uint32, uint64(f)))
	e.jump(e.end)
}

// boolean is a predicate as 0 or 1.
func (e *emitter) boolean(p string) operand {
	return e.pick(p, operand{"1", compiled.Bool}, operand{"0", compiled.Bool})
}

// integerOf is an immediate with the bits of x.
func integerOf(k compiled.Kind, x uint64) operand {
	if width(k) == 32 {
		if signed(k) {
			return operand{strconv.FormatInt(int64(int32(x)), 10), k}
		}
		return operand{strconv.FormatUint(uint64(uint32(x)), 10), k}
	}
	if x > math.MaxInt64 && (!signed(k) || x == 1<<63) {
		return operand{fmt.Sprintf("0x%X", x), k}
	}
	return operand{strconv.FormatInt(int64(x), 10), k}
}

// floatOf is an immediate.
func floatOf(k compiled.Kind, x float64) operand {
	if k == compiled.Float32 {
		return operand{fmt.Sprintf("0f%08X", math.Float32bits(float32(x))), k}
	}
	return operand{fmt.Sprintf("0d%016X", math.Float64bits(x)), k}
}

// zero is the zero value of a kind.
func zero(k compiled.Kind) operand {
	if float(k) {
		return floatOf(k, 0)
	}
	return integerOf(k, 0)
}
