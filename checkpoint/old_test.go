package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOldEpoch: an epoch of version 2 is read; its policy is in the closing record.
func TestOldEpoch(t *testing.T) {
	j := begun(t, t.TempDir())
	want := random(3, 200, 4)
	n, err := j.Epochs().Write(t.Context(), want.state, want)
	if err != nil {
		t.Fatal(err)
	}
	seal := filepath.Join(j.Epochs().epochPath(n), sealFile)
	text, err := os.ReadFile(seal)
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(string(text), "\n")
	lines = lines[:strings.LastIndex(strings.TrimSuffix(lines, "\n"), "\n")+1] // without that of the file itself
	for _, c := range []struct {
		head, why string
	}{{oldHead, ""}, {"garaph epoch, version 9\n", `begins with "garaph epoch, version 9`}} {
		if err := os.WriteFile(seal, []byte(sealText(c.head, lines)), 0o600); err != nil {
			t.Fatal(err)
		}
		var got memory
		switch _, err := j.Restore(t.Context(), &got); {
		case c.why == "" && (err != nil || !got.same(want)):
			t.Errorf("version 2: %v", err)
		case c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)):
			t.Errorf("version 9: got %v", err)
		}
	}
	record := `{"vertices":200,"value_bytes":4,"iteration":3,"aggregate":"0000000000000000","previous_aggregate":"0000000000000000","pulls":2,"pulled":11,"owed":-6,"notify_limit":"3fe0000000000000","chunk_vertices":64}`
	if c, err := decodeCommit([]byte(record)); err != nil || string(c.Policy) != record {
		t.Errorf("the policy of a closing record of version 2: %v, %+v", err, c)
	}
}
