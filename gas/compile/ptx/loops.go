package ptx

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/garaph/garaph/gas/compiled"
)

// endless is a loop that is refused.
type endless struct {
	instr   ssa.Instruction
	entered bool // in its middle: it has no single head
}

// unbounded finds the loops of a function that are not seen to end. A loop is
// bounded if every way around it passes a test of a counter against a limit:
// the counter goes from one iteration to the next by constants of one sign, and
// the limit does not change in the loop, or is at most a constant.
func unbounded(f *ssa.Function) []endless {
	var found []endless
	loops := map[*ssa.BasicBlock][]*ssa.BasicBlock{} // latches by head
	var heads []*ssa.BasicBlock
	order := map[*ssa.BasicBlock]int{}
	for i, b := range reversePostorder(f) {
		order[b] = i
	}
	for _, b := range f.DomPreorder() {
		for _, s := range b.Succs {
			switch {
			case s.Dominates(b):
				if loops[s] == nil {
					heads = append(heads, s)
				}
				loops[s] = append(loops[s], b)
			case order[s] <= order[b]:
				found = append(found, endless{first(f, s), true})
			}
		}
	}
	for _, head := range heads {
		if !bounded(f, head, loops[head]) {
			found = append(found, endless{first(f, head), false})
		}
	}
	return found
}

// first is the instruction of a loop to point at.
func first(f *ssa.Function, head *ssa.BasicBlock) ssa.Instruction {
	for _, i := range head.Instrs {
		if _, ok := i.(*ssa.Phi); !ok && i.Pos().IsValid() {
			return i
		}
	}
	for _, i := range head.Instrs {
		if at(f, i) != f.Pos() {
			return i
		}
	}
	return head.Instrs[0]
}

func reversePostorder(f *ssa.Function) []*ssa.BasicBlock {
	var post []*ssa.BasicBlock
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b] = true
		for _, s := range b.Succs {
			if !seen[s] {
				visit(s)
			}
		}
		post = append(post, b)
	}
	visit(f.Blocks[0])
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// bounded looks for the test of a counter that every way around the loop
// passes.
func bounded(f *ssa.Function, head *ssa.BasicBlock, latches []*ssa.BasicBlock) bool {
	body := bodyOf(head, latches)
	for _, b := range f.DomPreorder() {
		test, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !body[b] || body[b.Succs[0]] == body[b.Succs[1]] || !dominatesAll(b, latches) {
			continue
		}
		compare, ok := test.Cond.(*ssa.BinOp)
		if ok && counts(compare, head, body, body[b.Succs[0]]) {
			return true
		}
	}
	return false
}

func bodyOf(head *ssa.BasicBlock, latches []*ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	body := map[*ssa.BasicBlock]bool{head: true}
	work := latches
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[: len(work)-1 : len(work)-1]
		if !body[b] {
			body[b] = true
			work = append(work, b.Preds...)
		}
	}
	return body
}

func dominatesAll(b *ssa.BasicBlock, others []*ssa.BasicBlock) bool {
	for _, o := range others {
		if !b.Dominates(o) {
			return false
		}
	}
	return true
}

// counts reports whether a comparison keeps a counter of the loop below or above
// a limit; the loop goes on where the comparison gives stays.
func counts(compare *ssa.BinOp, head *ssa.BasicBlock, body map[*ssa.BasicBlock]bool, stays bool) bool {
	try := func(counter, limit ssa.Value, op token.Token) bool {
		if !outsideOf(limit, body) && !(capped(limit) && (op == token.LSS || op == token.LEQ)) {
			return false
		}
		phi := counterOf(counter, head)
		if phi == nil || !integer(phi) {
			return false
		}
		up, down := direction(phi, head, body)
		switch op {
		case token.LSS:
			return up
		case token.LEQ:
			return up && !extreme(limit, true)
		case token.GTR:
			return down
		case token.GEQ:
			return down && !extreme(limit, false)
		}
		return false
	}
	op := compare.Op
	if !stays {
		op = map[token.Token]token.Token{token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ,
			token.GEQ: token.LSS}[op]
	}
	swapped := map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS,
		token.GEQ: token.LEQ}[op]
	return try(compare.X, compare.Y, op) || try(compare.Y, compare.X, swapped)
}

func integer(v ssa.Value) bool {
	k := kindOf(v.Type())
	return k != invalid && k != compiled.Bool && !float(k)
}

// extreme reports whether every value of the type is at most (or at least) the
// constant limit.
func extreme(limit ssa.Value, most bool) bool {
	c, ok := limit.(*ssa.Const)
	if !ok || c.Value == nil {
		return false
	}
	k := kindOf(limit.Type())
	bits := uint(8 * k.Size())
	one := constant.MakeInt64(1)
	bound := constant.MakeInt64(0)
	switch {
	case most && signed(k):
		bound = constant.BinaryOp(constant.Shift(one, token.SHL, bits-1), token.SUB, one)
	case most:
		bound = constant.BinaryOp(constant.Shift(one, token.SHL, bits), token.SUB, one)
	case signed(k):
		bound = constant.UnaryOp(token.SUB, constant.Shift(one, token.SHL, bits-1), 0)
	}
	return constant.Compare(c.Value, token.EQL, bound)
}

// outsideOf reports whether a value does not change within the loop.
func outsideOf(v ssa.Value, body map[*ssa.BasicBlock]bool) bool {
	i, ok := v.(ssa.Instruction)
	if !ok || !body[i.Block()] {
		return true
	}
	switch v := v.(type) { // computed in the loop from values that do not change
	case *ssa.Convert:
		return outsideOf(v.X, body)
	case *ssa.ChangeType:
		return outsideOf(v.X, body)
	case *ssa.BinOp:
		return outsideOf(v.X, body) && outsideOf(v.Y, body)
	case *ssa.UnOp:
		return v.Op == token.MUL && unchanged(root(v.X), body)
	case *ssa.Field:
		return outsideOf(v.X, body)
	case *ssa.Call:
		for _, x := range v.Call.Args { // calls have no effects in the subset, but by pointers
			if _, ok := x.Type().Underlying().(*types.Pointer); ok || !outsideOf(x, body) {
				return false
			}
		}
		return true
	}
	return false
}

// capped reports whether a value, although it changes, is at most a constant
// less than the greatest value of its type.
func capped(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.BinOp:
		c, ok := v.Y.(*ssa.Const)
		return ok && c.Value != nil && constant.Sign(c.Value) > 0 && !extreme(c, true) &&
			(v.Op == token.AND || v.Op == token.REM)
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		if !ok || b.Name() != "min" {
			return false
		}
		for _, x := range v.Call.Args {
			if c, ok := x.(*ssa.Const); ok && !extreme(c, true) {
				return true
			}
		}
	case *ssa.Convert:
		return kindOf(v.X.Type()) != invalid && !float(kindOf(v.X.Type())) &&
			kindOf(v.Type()).Size() > kindOf(v.X.Type()).Size()
	}
	return false
}

// unchanged reports whether nothing in the loop writes to memory that starts at
// root, or could.
func unchanged(root ssa.Value, body map[*ssa.BasicBlock]bool) bool {
	if root.Referrers() == nil {
		return false
	}
	addresses := []ssa.Value{root}
	for len(addresses) > 0 {
		a := addresses[0]
		addresses = addresses[1:]
		for _, r := range *a.Referrers() {
			switch r := r.(type) {
			case *ssa.FieldAddr:
				addresses = append(addresses, r)
			case *ssa.IndexAddr:
				addresses = append(addresses, r)
			case *ssa.UnOp, *ssa.DebugRef:
			default:
				if body[r.Block()] {
					return false
				}
			}
		}
	}
	return true
}

// counterOf is the phi at the loop's head that v is a constant away from.
func counterOf(v ssa.Value, head *ssa.BasicBlock) *ssa.Phi {
	for {
		switch x := v.(type) {
		case *ssa.Phi:
			if x.Block() == head {
				return x
			}
			return nil
		case *ssa.BinOp:
			_, ok := x.Y.(*ssa.Const)
			if !ok || x.Op != token.ADD && x.Op != token.SUB {
				return nil
			}
			v = x.X
		default:
			return nil
		}
	}
}

// direction reports whether a counter only grows, or only falls, from one
// iteration to the next.
func direction(phi *ssa.Phi, head *ssa.BasicBlock, body map[*ssa.BasicBlock]bool) (up, down bool) {
	up, down = true, true
	for i, e := range phi.Edges {
		if !body[head.Preds[i]] {
			continue
		}
		u, d := steps(e, phi, map[*ssa.Phi]bool{})
		up, down = up && u, down && d
	}
	return up, down
}

// steps reports whether v is phi plus constants, at least one, all of one sign.
func steps(v ssa.Value, phi *ssa.Phi, seen map[*ssa.Phi]bool) (up, down bool) {
	switch x := v.(type) {
	case *ssa.BinOp:
		c, ok := x.Y.(*ssa.Const)
		if !ok || c.Value == nil || x.Op != token.ADD && x.Op != token.SUB {
			return false, false
		}
		sign := constant.Sign(c.Value)
		if x.Op == token.SUB {
			sign = -sign
		}
		if x.X == phi {
			return sign > 0, sign < 0
		}
		up, down = steps(x.X, phi, seen)
		return up && sign >= 0, down && sign <= 0
	case *ssa.Phi:
		if x == phi || seen[x] {
			return false, false
		}
		seen[x] = true
		up, down = true, true
		for _, e := range x.Edges {
			u, d := steps(e, phi, seen)
			up, down = up && u, down && d
		}
		delete(seen, x)
		return up, down
	}
	return false, false
}
