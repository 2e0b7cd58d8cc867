package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// elements are those of a document, which must be well-formed.
func elements(t interface{ Fatalf(string, ...any) }, text string) (all []xml.StartElement) {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		switch token, err := d.Token(); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("%v in\n%s", err, text)
		default:
			if e, ok := token.(xml.StartElement); ok {
				all = append(all, e.Copy())
			}
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestEmpty(t *testing.T) {
	var c Chart
	if n := c.Add(Series{Name: "nowhere", Points: []Point{{math.NaN(), 1}, {1, math.Inf(1)}, {1, -1}}}); n != 0 || !c.Empty() {
		t.Errorf("%d points can be shown", n)
	}
	if text, _ := c.SVG(); text != "" {
		t.Error(text)
	}
}

// TestWrite: a file of its own has a title and what a series is called, as text.
func TestWrite(t *testing.T) {
	c := Chart{X: Scale{Label: "a < b", Whole: true}, Y: Scale{Label: "time", Unit: "s"}, Level: 2, Name: "limit"}
	c.Add(Series{Name: `"A&B"`, Points: []Point{{1, 1}, {2, 3}, {3, math.NaN()}, {4, 2}}, Color: Blue, Line: 1, Shape: Square})
	var a, b bytes.Buffer
	if err := errors.Join(c.Write(&a, "<title>"), c.Write(&b, "<title>")); err != nil {
		t.Fatal(err)
	}
	elements(t, a.String())
	for _, want := range []string{">&lt;title&gt;</text>", ">a &lt; b</text>", ">&#34;A&amp;B&#34;</text>", ">limit</text>", `stroke-dasharray`, ">2 s</text>"} {
		if !strings.Contains(a.String(), want) {
			t.Errorf("no %s in\n%s", want, &a)
		}
	}
	if a.String() != b.String() {
		t.Error("the same chart made another file")
	}
	line, _, _ := strings.Cut(a.String()[strings.Index(a.String(), `stroke="#0072b2"`)-100:], `fill="none" stroke="#0072b2"`)
	if path := line[strings.LastIndex(line, `d="`):]; strings.Count(path, "M") != 1 {
		t.Errorf("the sample of the legend is %s", path)
	}
}

// TestInside: whatever the numbers are, everything lies within the chart.
func TestInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := func(name string) Scale {
			return Scale{Label: name, Log: rapid.Bool().Draw(t, name+" log"), Unit: rapid.SampledFrom([]string{"", "s", "B"}).Draw(t, name+" unit")}
		}
		c := Chart{X: scale("x"), Y: scale("y")}
		for i := range rapid.IntRange(1, 9).Draw(t, "series") {
			s := Series{Name: fmt.Sprintf("series %d of many", i), Color: Green, Line: float64(i % 2), Shape: Octagon}
			for range rapid.IntRange(1, 20).Draw(t, "points") {
				s.Points = append(s.Points, Point{rapid.Float64().Draw(t, "x"), rapid.Float64().Draw(t, "y")})
			}
			c.Add(s)
		}
		text, height := c.SVG()
		for _, e := range elements(t, "<svg>"+text+"</svg>") {
			if e.Name.Local != "text" {
				continue
			}
			x, err1 := strconv.ParseFloat(attribute(e, "x"), 64)
			y, err2 := strconv.ParseFloat(attribute(e, "y"), 64)
			if err1 != nil || err2 != nil || !(x >= 0 && x <= Width && y >= 0 && y <= height) {
				t.Fatalf("text at %q, %q of a chart of %d by %v", attribute(e, "x"), attribute(e, "y"), Width, height)
			}
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Fatalf("%s", text)
		}
	})
}
