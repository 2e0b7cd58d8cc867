package cgroup

import (
	"cmp"
	"testing"
	"testing/fstest"
)

const (
	mountV2     = "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	mountV1     = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
	mountCPU    = "33 31 0:30 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
	mountHybrid = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
)

func TestMemoryLimit(t *testing.T) {
	for _, test := range []struct {
		name, groups, mounts string
		files                map[string]string
		want                 int64
		left                 int64 // 0: as want
	}{
		{name: "no cgroups"},
		{
			name: "version 2", groups: "0::/user.slice/job\n", mounts: mountV2, want: 300,
			files: map[string]string{"sys/fs/cgroup/user.slice/job/memory.max": "300\n", "sys/fs/cgroup/user.slice/memory.max": "max\n"},
		},
		{
			name: "a group around it is narrower", groups: "0::/a/b/c\n", mounts: mountV2, want: 200,
			files: map[string]string{"sys/fs/cgroup/a/b/c/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.max": "400\n", "sys/fs/cgroup/a/memory.max": "200\n"},
		},
		{
			name: "memory.high", groups: "0::/a\n", mounts: mountV2, want: 150,
			files: map[string]string{"sys/fs/cgroup/a/memory.max": "300\n", "sys/fs/cgroup/a/memory.high": "150\n"},
		},
		{
			name: "another group's limit", groups: "0::/a\n", mounts: mountV2,
			files: map[string]string{"sys/fs/cgroup/b/memory.max": "300\n", "sys/fs/cgroup/a/b/memory.max": "300\n"},
		},
		{
			name: "a namespace of its own", groups: "0::/\n", mounts: mountV2, want: 500,
			files: map[string]string{"sys/fs/cgroup/memory.max": "500\n"},
		},
		{
			name: "no limit", groups: "0::/a\n", mounts: mountV2,
			files: map[string]string{"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.high": "max\n"},
		},
		{
			name: "version 1", groups: "4:memory:/docker/x\n1:cpu:/other\n", mounts: mountCPU + mountV1, want: 700,
			files: map[string]string{
				"sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "700\n", "sys/fs/cgroup/memory/docker/memory.limit_in_bytes": "9223372036854771712\n",
				"sys/fs/cgroup/cpu/other/memory.limit_in_bytes": "1\n",
			},
		},
		{
			name: "version 1 in a container, whose group is mounted", groups: "4:memory:/docker/x/y\n", want: 600,
			mounts: "35 31 0:32 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			files:  map[string]string{"sys/fs/cgroup/memory/y/memory.limit_in_bytes": "800\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "600\n"},
		},
		{
			name: "a mount of another group", groups: "4:memory:/docker/xyz\n", want: 600,
			mounts: "35 31 0:32 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			files:  map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "600\n", "sys/fs/cgroup/memory/yz/memory.limit_in_bytes": "1\n"},
		},
		{
			name: "hybrid", groups: "4:memory:/a\n0::/b\n", mounts: mountV1 + mountHybrid, want: 900,
			files: map[string]string{"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "900\n", "sys/fs/cgroup/unified/a/memory.max": "1\n"},
		},
		{
			name: "beyond the namespace", groups: "0::/../../other\n", mounts: mountV2, want: 400,
			files: map[string]string{"sys/fs/cgroup/memory.max": "400\n", "sys/fs/other/memory.max": "1\n", "other/memory.max": "1\n"},
		},
		{
			name: "spaces in names", groups: "0::/a b:c\n", want: 250,
			mounts: "31 23 0:28 / /mnt/my\\040groups rw - cgroup2 cgroup2 rw\n",
			files:  map[string]string{"mnt/my groups/a b:c/memory.max": "250\n"},
		},
		{
			name: "nonsense", groups: "what\n0::\n::/\n4:memory:relative\n0::/a\n", mounts: "short\n1 2 - cgroup2\n" + mountV2,
			files: map[string]string{"sys/fs/cgroup/a/memory.max": "-5\n", "sys/fs/cgroup/a/memory.high": "99999999999999999999999\n"},
		},
		{
			name: "version 2 in use", groups: "0::/a/b\n", mounts: mountV2, want: 300, left: 180,
			files: map[string]string{
				"sys/fs/cgroup/a/b/memory.max": "300\n", "sys/fs/cgroup/a/b/memory.current": "100\n",
				"sys/fs/cgroup/a/b/memory.stat": "anon 30\nfile 70\ninactive_file 50\nactive_file 10\nshmem 10\n",
				"sys/fs/cgroup/a/memory.max":    "500\n", "sys/fs/cgroup/a/memory.current": "320\n",
			},
		},
		{
			name: "version 1 in use, beyond its limit", groups: "4:memory:/a\n", mounts: mountV1, want: 300, left: 1,
			files: map[string]string{
				"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "300\n", "sys/fs/cgroup/memory/a/memory.usage_in_bytes": "320\n",
				"sys/fs/cgroup/memory/a/memory.stat": "inactive_file 300\ntotal_inactive_file 10\ntotal_active_file 5\n",
			},
		},
		{
			name: "zero", groups: "0::/a\n", mounts: mountV2, want: 1,
			files: map[string]string{"sys/fs/cgroup/a/memory.max": "0\n"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			system := fstest.MapFS{}
			if test.groups != "" {
				system["proc/self/cgroup"] = &fstest.MapFile{Data: []byte(test.groups)}
				system["proc/self/mountinfo"] = &fstest.MapFile{Data: []byte(test.mounts)}
			}
			for name, text := range test.files {
				system[name] = &fstest.MapFile{Data: []byte(text)}
			}
			got, left := memory(system)
			if got != test.want {
				t.Errorf("the limit is %d, want %d", got, test.want)
			}
			if left != cmp.Or(test.left, test.want) {
				t.Errorf("%d are left, want %d", left, cmp.Or(test.left, test.want))
			}
		})
	}
}
