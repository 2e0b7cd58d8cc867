package results

import "unicode/utf8"

// nameStats describes all names in a table, for formats that need it before the first one
// is written.
type nameStats struct {
	utf8  bool // all are
	bytes int  // of the longest
	runes int  // of the longest, if all are UTF-8
}

// namesOf looks through all names of t, in a pass of its own.
func namesOf(t Table) (nameStats, error) {
	s := nameStats{utf8: true}
	if t.IDKind() != IDString {
		return s, nil
	}
	look := func(names []string) {
		for _, name := range names {
			s.bytes = max(s.bytes, len(name))
			s.utf8 = s.utf8 && utf8.ValidString(name)
			if s.utf8 && len(name) > s.runes {
				s.runes = max(s.runes, utf8.RuneCountInString(name))
			}
		}
	}
	err := eachBatch(t, func(b *Batch, _ int) error {
		look(b.IDs.Strings)
		for i := range b.Columns {
			look(b.Columns[i].V.Strings)
		}
		return nil
	})
	return s, err
}
