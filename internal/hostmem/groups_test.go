package hostmem

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGroupUsed reads what groups of both versions use, without cached files.
func TestGroupUsed(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/b/memory.current": "1000\n", "a/b/memory.stat": "anon 700\ninactive_file 200\nactive_file 50\n",
		"memory.current":                        "9000\n",
		"memory/docker/x/memory.usage_in_bytes": "600\n", "memory/docker/x/memory.stat": "inactive_file " +
			"1\ntotal_inactive_file 100\n",
		"memory/memory.usage_in_bytes": "80\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for groups, want := range map[string]int64{
		"":                                      0,
		"0::/a/b\n":                             750,
		"0::/\n":                                9000,
		"0::/of/the/host\n":                     9000, // in a container
		"3:cpu,memory:/docker/x\n2:cpuset:/y\n": 500,
		"3:memory:/elsewhere\n":                 80,
	} {
		if got := groupUsed(root, groups); got != want {
			t.Errorf("%q: got %d, want %d", groups, got, want)
		}
	}
}
