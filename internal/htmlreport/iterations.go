package htmlreport

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/internal/chart"
)

var iterationAxis = chart.Scale{Label: "iteration", Whole: true}

func secondsAxis(label string, log bool) chart.Scale {
	return chart.Scale{Label: label + " (seconds)", Unit: "s", Log: log}
}

// caption joins sentences, passing over those that are "".
func caption(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// leftOut reports what the axes cannot show.
func leftOut(n int, one, many, lacks string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Left out: %s without %s.", count(n, one, many), lacks)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return humanize.Comma(int64(n)) + " " + many
}

func iterations(n int) string { return count(n, "iteration", "iterations") }

// timeFigure shows the time of each iteration, and that of each device.
func timeFigure(its []dispatcher.Iteration) figure {
	f := figure{ID: "time", Title: "Time of each iteration"}
	if len(its) == 0 {
		f.Caption = noIterations
		return f
	}
	c := chart.Chart{X: iterationAxis, Y: secondsAxis("time", false)}
	whole := chart.Series{Name: "whole iteration", Color: chart.Grey, Line: 5, Shape: chart.Square}
	cpu := chart.Series{Name: "CPU", Color: chart.Blue, Line: 1.5, Shape: chart.Octagon}
	gpu := chart.Series{Name: "GPU", Color: chart.Vermilion, Line: 1.5, Shape: chart.Diamond}
	total, slowest, wrong := 0.0, its[0], 0
	for _, it := range its {
		x := float64(it.Iteration + 1)
		if c.Y.Shows(it.Seconds) {
			total += it.Seconds
		} else {
			wrong++
		}
		if it.Seconds > slowest.Seconds || math.IsNaN(slowest.Seconds) {
			slowest = it
		}
		whole.Points = append(whole.Points, chart.Point{X: x, Y: it.Seconds})
		cpu.Points = append(cpu.Points, chart.Point{X: x, Y: did(it, dispatcher.CPU)})
		gpu.Points = append(gpu.Points, chart.Point{X: x, Y: did(it, dispatcher.GPU)})
	}
	var idle []string
	c.Add(whole)
	for _, s := range []chart.Series{cpu, gpu} {
		if c.Add(s) == 0 {
			idle = append(idle, fmt.Sprintf("The %s had no page.", s.Name))
		}
	}
	f.draw(&c)
	which := fmt.Sprintf("iteration is %d", slowest.Iteration+1)
	if slowest.Levels > 1 {
		which = fmt.Sprintf("iterations are %d to %d, done or reported at once", slowest.Iteration+1, slowest.Iteration+slowest.Levels)
	}
	f.Caption = caption(
		fmt.Sprintf("The time of a device is from its first page to its last. %s in all; the slowest %s, with %s.",
			chart.Number(total, "s"), which, chart.Number(slowest.Seconds, "s")),
		caption(idle...), leftOut(wrong, "iteration", "iterations", "a time that could be shown"))
	return f
}

const noIterations = "No iteration was done in this process."

// did is the time of a device in an iteration, NaN if it did nothing.
func did(it dispatcher.Iteration, d dispatcher.Device) float64 {
	if w, ok := it.Devices[d]; ok {
		return w.Seconds
	}
	return math.NaN()
}

// fractionFigure shows f in each iteration, and what ran: the shape of a mark is
// the method, its colour the device.
func fractionFigure(r dispatcher.Report) figure {
	f := figure{ID: "f", Title: "Share of active edges, and what ran"}
	if len(r.Iterations) == 0 {
		f.Caption = noIterations
		return f
	}
	c := chart.Chart{X: iterationAxis, Y: chart.Scale{Label: "f = edges of active vertices / edges", Log: true}}
	least, zeros, wrong := math.Inf(1), 0, 0
	for _, it := range r.Iterations {
		switch {
		case it.Fraction == 0:
			zeros++
		case c.Y.Shows(it.Fraction):
			least = min(least, it.Fraction)
		default:
			wrong++
		}
	}
	wrongText := leftOut(wrong, "iteration", "iterations", "an f that could be shown")
	if math.IsInf(least, 1) {
		f.Caption = caption("f is 0 wherever it is known: no edge led out of an active vertex.", wrongText)
		return f
	}
	floor := least / 3
	line := chart.Series{Color: chart.Grey, Line: 1}
	kinds := map[kind][]chart.Point{}
	for _, it := range r.Iterations {
		at := chart.Point{X: float64(it.Iteration + 1), Y: it.Fraction}
		if it.Fraction == 0 {
			at.Y = floor
		}
		line.Points = append(line.Points, at)
		k := kind{it.Method, it.Device}
		kinds[k] = append(kinds[k], at)
	}
	c.Add(line)
	for _, k := range allKinds {
		if len(kinds[k]) == 0 {
			continue
		}
		c.Add(chart.Series{Name: fmt.Sprintf("%s, %s", k.method, k.device), Points: kinds[k], Color: deviceColors[k.device], Shape: methodShapes[k.method]})
	}
	c.Level, c.Name = r.NotifyLimit, "limit"
	limit := chart.Number(c.Level, "")
	if r.AccessRatio > 0 {
		limit = fmt.Sprintf("1/(2k) = %s, from disk", limit)
	}
	if !c.Y.Shows(c.Level) {
		c.Level = 0
	}
	f.draw(&c)
	atFloor := ""
	if zeros > 0 {
		atFloor = fmt.Sprintf("Marks at the bottom of the line stand for f = 0, as in %s.", iterations(zeros))
	}
	f.Caption = caption(fmt.Sprintf("Where the engine chooses, it notifies where f is at most the limit (%s), and pulls otherwise; it also pulls when the aggregate changed, and where a pull looks at few edges.", limit), atFloor, wrongText)
	return f
}

// kind is what ran in an iteration.
type kind struct {
	method dispatcher.Method
	device dispatcher.Device
}

var (
	allKinds = []kind{
		{dispatcher.Pull, dispatcher.CPU}, {dispatcher.Pull, dispatcher.GPU}, {dispatcher.Pull, dispatcher.Hybrid},
		{dispatcher.NotifyPull, dispatcher.CPU}, {dispatcher.NotifyPull, dispatcher.GPU}, {dispatcher.NotifyPull, dispatcher.Hybrid},
		{dispatcher.Frontier, dispatcher.CPU},
	}
	deviceColors = map[dispatcher.Device]chart.Color{dispatcher.CPU: chart.Blue, dispatcher.GPU: chart.Vermilion, dispatcher.Hybrid: chart.Green}
	methodShapes = map[dispatcher.Method]chart.Shape{dispatcher.Pull: chart.Square, dispatcher.NotifyPull: chart.Triangle, dispatcher.Frontier: chart.Octagon}
)

// alphaFigure shows by how much the GPU would be faster.
func alphaFigure(r dispatcher.Report) figure {
	f := figure{ID: "alpha", Title: "α: time of the CPU over time of the GPU"}
	if len(r.Iterations) == 0 {
		f.Caption = noIterations
		return f
	}
	s := chart.Series{Name: "α", Color: chart.Green, Line: 1.5, Shape: chart.Octagon}
	c := chart.Chart{X: iterationAxis, Y: chart.Scale{Label: "α", Log: true}, Level: 1, Name: "α = 1"}
	none, wrong := 0, 0
	for _, it := range r.Iterations {
		switch {
		case it.Alpha == 0:
			none++
		case !c.Y.Shows(it.Alpha):
			wrong++
		}
		s.Points = append(s.Points, chart.Point{X: float64(it.Iteration + 1), Y: it.Alpha})
	}
	wrongText := leftOut(wrong, "iteration", "iterations", "an α that could be shown")
	switch {
	case none == len(r.Iterations) && r.GPU == "":
		f.Caption = "Nothing was to choose: no GPU."
		return f
	case none == len(r.Iterations):
		f.Caption = "Nothing was to choose: the device was given, or one processor had all the work."
		return f
	}
	c.Add(s)
	f.draw(&c)
	gaps := ""
	if none > 0 {
		gaps = fmt.Sprintf("In %s nothing was to choose.", iterations(none))
	}
	f.Caption = caption("Up to 1, the CPU works alone; above it, the GPU takes part.", gaps, wrongText)
	return f
}
