package bench

import "testing"

func TestDigits(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1e-9: "0", 0.000123: "0.000123", 0.0273: "0.0273", 0.5: "0.500", 0.1: "0.100", 0.99951: "1.00", 1: "1.00", 9.994: "9.99", 9.996: "10.0",
		99.94: "99.9", 99.96: "100", 123.4: "123",
	} {
		if got := digits(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}

func TestCell(t *testing.T) {
	if got := (Column{text: rateText}).cell(nil); got != absent {
		t.Errorf("no figure is written %q", got)
	}
	if got := (Column{text: rateText, spread: true}).cell(one(2.5e9)); got != "2.50G" {
		t.Errorf("a figure of one round is written %q", got)
	}
	if got := (Column{text: shareText, spread: true}).cell(spread([]float64{0.25, 0.5, 0.1})); got != "25.0% (10.0%–50.0%)" {
		t.Errorf("a figure of three rounds is written %q", got)
	}
}
