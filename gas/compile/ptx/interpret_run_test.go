package ptx_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A simulated is a fragment that an interpreter runs, on machines without a GPU. It knows the instructions that the
// compiler writes, with the exact results of the PTX manual and IEEE 754, and refuses all others; the approximate
// instructions have no more bits than the manual promises.
type simulated struct {
	steps     []step
	registers map[string]int // of registers and placeholders
	first     []uint64       // immediates at their registers, 0 elsewhere
}

// step does one instruction and returns the next one.
type step struct {
	guard int // register, or -1
	not   bool
	do    func(r []uint64)
	jump  int // next instruction of a bra, or -1
}

// ErrEndless reports that a fragment has not ended after many steps.
var ErrEndless = errors.New("ptxsim: the fragment does not end")

var (
	declaration = regexp.MustCompile(`^\.reg \.(b32|b64|pred) (%[a-z]+)<(\d+)>$`)
	instruction = regexp.MustCompile(`^(?:@(!?)(%[a-z]+\d+) )?([a-z][a-z0-9.]*) (.*)$`)
	label       = regexp.MustCompile(`^([A-Za-z]\w*):$`)
)

// parser is one call of Parse.
type parser struct {
	*simulated
	widths map[string]int // in bits; 1 for predicates
}

// Parse reads a fragment. Widths gives the number of bits of its placeholders,
// by name: 32 or 64.
func Parse(text string, widths map[string]int) (*simulated, error) {
	p := &parser{simulated: &simulated{registers: map[string]int{}}, widths: map[string]int{}}
	for name, bits := range widths {
		p.widths["${"+name+"}"] = bits
	}
	targets := map[string]int{}
	jumps := map[int]string{}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) < 2 || lines[0] != "{" || lines[len(lines)-1] != "}" {
		return nil, errors.New("ptxsim: a fragment is a block in braces")
	}
	for n, line := range lines[1 : len(lines)-1] {
		line = strings.TrimSpace(line)
		if m := label.FindStringSubmatch(line); m != nil {
			if _, twice := targets[m[1]]; twice {
				return nil, fmt.Errorf("ptxsim: line %d: label %s stands twice", n+2, m[1])
			}
			targets[m[1]] = len(p.steps)
			continue
		}
		line, ok := strings.CutSuffix(line, ";")
		if !ok {
			return nil, fmt.Errorf("ptxsim: line %d: no ; at the end of %q", n+2, line)
		}
		if m := declaration.FindStringSubmatch(line); m != nil {
			count, _ := strconv.Atoi(m[3])
			for i := range count {
				p.widths[m[2]+strconv.Itoa(i)] = map[string]int{"b32": 32, "b64": 64, "pred": 1}[m[1]]
			}
			continue
		}
		m := instruction.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("ptxsim: line %d: %q is no instruction", n+2, line)
		}
		s := step{guard: -1, not: m[1] != "", jump: -1}
		var err error
		if m[2] != "" {
			if s.guard, err = p.operand(m[2], 1); err != nil {
				return nil, fmt.Errorf("ptxsim: line %d: %w", n+2, err)
			}
		}
		if m[3] == "bra" {
			jumps[len(p.steps)] = m[4]
		} else if s.do, err = p.decode(m[3], strings.Split(m[4], ", ")); err != nil {
			return nil, fmt.Errorf("ptxsim: line %d: %s: %w", n+2, line, err)
		}
		p.steps = append(p.steps, s)
	}
	for from, name := range jumps {
		to, ok := targets[name]
		if !ok {
			return nil, fmt.Errorf("ptxsim: no label %s", name)
		}
		p.steps[from].jump = to
	}
	return p.simulated, nil
}

// operand returns the register of a name, a placeholder or an immediate of so
// many bits.
func (p *parser) operand(text string, bits int) (int, error) {
	key := text
	var value uint64
	if text[0] == '%' || text[0] == '$' {
		declared, ok := p.widths[text]
		if !ok {
			return 0, fmt.Errorf("%s is not declared", text)
		}
		if declared != bits {
			return 0, fmt.Errorf("%s has %d bits, not %d", text, declared, bits)
		}
	} else {
		var err error
		if value, err = immediate(text, bits); err != nil {
			return 0, err
		}
		key = fmt.Sprint(value, bits)
	}
	register, ok := p.registers[key]
	if !ok {
		register = len(p.first)
		p.registers[key] = register
		p.first = append(p.first, value)
	}
	return register, nil
}

func immediate(text string, bits int) (uint64, error) {
	if hex, ok := strings.CutPrefix(text, "0f"); ok && bits == 32 && len(hex) == 8 {
		return strconv.ParseUint(hex, 16, 32)
	}
	if hex, ok := strings.CutPrefix(text, "0d"); ok && bits == 64 && len(hex) == 16 {
		return strconv.ParseUint(hex, 16, 64)
	}
	if strings.HasPrefix(text, "-") {
		i, err := strconv.ParseInt(text, 0, bits)
		if bits == 32 {
			return uint64(uint32(i)), err
		}
		return uint64(i), err
	}
	return strconv.ParseUint(text, 0, bits)
}

// Machine runs a program again and again.
type Machine struct {
	program   *simulated
	registers []uint64
}

// NewMachine makes a machine for p.
func (p *simulated) NewMachine() *Machine {
	return &Machine{p, append([]uint64(nil), p.first...)}
}

// Register is where a placeholder is in the machine, or -1 if the text does not
// name it.
func (p *simulated) Register(name string) int {
	if register, ok := p.registers["${"+name+"}"]; ok {
		return register
	}
	return -1
}

// Set puts the bits of a value into a register; register -1 is ignored.
func (m *Machine) Set(register int, bits uint64) {
	if register >= 0 {
		m.registers[register] = bits
	}
}

// Get is the content of a register, 0 for register -1.
func (m *Machine) Get(register int) uint64 {
	if register < 0 {
		return 0
	}
	return m.registers[register]
}

// Run runs the program from its start to its end.
func (m *Machine) Run() error {
	r, steps := m.registers, m.program.steps
	left := 50_000_000
	for pc := 0; pc < len(steps); {
		s := &steps[pc]
		pc++
		if left--; left < 0 {
			return ErrEndless
		}
		if s.guard >= 0 && (r[s.guard] != 0) == s.not {
			continue
		}
		if s.do == nil {
			pc = s.jump
			continue
		}
		s.do(r)
	}
	return nil
}
