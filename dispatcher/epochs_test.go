package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

// TestAsyncEpochs interrupts an async job of a program that is not idempotent. One that
// stood between two iterations ends with the bits of an undisturbed run; one that was
// cut within an iteration is reported where it goes on.
func TestAsyncEpochs(t *testing.T) {
	s := longWay(t)
	heat := programs.Heat{Source: 1, Step: 0.5}
	o := Options{Device: CPU, Mode: Async, Method: Pull, Iterations: 9, hooks: hooks{pageBytes: 1}}
	want, r, err := recorded(t.Context(), t, s, gas.Program[float32, programs.Flow](heat), memoryDir(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if pages := r.Iterations[0].Pages; pages < 5 {
		t.Fatalf("an iteration has %d pages", pages)
	}
	for _, c := range []struct {
		cut    int // in that iteration; if 0, after the fourth
		says   string
		policy checkpoint.Policy
	}{
		{policy: checkpoint.Policy{}},
		{policy: checkpoint.Policy{Every: 1}},
		{policy: checkpoint.Policy{Pages: 3}},
		{cut: 5, says: "job 1: iteration 5 was interrupted and starts again, and the program is not idempotent"},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			folder := memoryDir(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			first := o
			first.Checkpoints = c.policy
			first.Progress = func(it Iteration) {
				if c.cut == 0 && it.Iteration == 3 {
					cancel()
				}
			}
			if _, _, err := recorded(ctx, t, s, gas.Program[float32, programs.Flow](cutHeat{heat, cancel, c.cut}), folder,
				first); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			core, logs := observer.New(zap.WarnLevel)
			next := o
			next.Log = zap.New(core)
			got, r, err := recorded(t.Context(), t, s, gas.Program[float32, programs.Flow](heat), folder, next)
			if err != nil || r.Before != 4 {
				t.Fatalf("resumed after %d iterations: %v", r.Before, err)
			}
			if d := cmp.Diff(want, got); d != "" && c.cut == 0 {
				t.Errorf("other values than those of an undisturbed run: %s", d)
			}
			says := ""
			if logs.Len() > 0 {
				says = logs.All()[0].Message
			}
			if (says == "") != (c.says == "") || !strings.HasPrefix(says, c.says) {
				t.Errorf("it warns %q", says)
			}
		})
	}
}

// cutHeat is heat that ends the run within an iteration.
type cutHeat struct {
	programs.Heat
	cancel func()
	cut    int
}

func (c cutHeat) Apply(v gas.Vertex, old float32, acc programs.Flow, step gas.Step) float32 {
	if step.Iteration+1 == c.cut {
		c.cancel()
	}
	return c.Heat.Apply(v, old, acc, step)
}
