// Package cgroup finds the limit of memory that the control groups of this
// process set, and what they have left of it.
package cgroup

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// unlimited is from where on a limit means none: version 1 has no word for it,
// and returns the largest multiple of a page.
const unlimited = 1 << 60

// MemoryLimit is the least limit of memory, in bytes, of the groups of this
// process and of those around them; 0: none.
func MemoryLimit() int64 {
	limit, _ := memory(os.DirFS("/"))
	return limit
}

// MemoryLeft is how much of their limits these groups have left, at the least one,
// where cached files count as left; 0: there is no limit.
func MemoryLeft() int64 {
	_, left := memory(os.DirFS("/"))
	return left
}

// mount is a tree of groups as it is mounted.
type mount struct {
	root, point string // the group at the top of the mount, and where that is
	*version
}

// version has the names of files of a group.
type version struct {
	limits []string
	usage  string
	caches []string // lines of memory.stat
}

var (
	version1 = &version{[]string{"memory.limit_in_bytes"}, "memory.usage_in_bytes", []string{"total_inactive_file", "total_active_file"}}
	version2 = &version{[]string{"memory.max", "memory.high"}, "memory.current", []string{"inactive_file", "active_file"}}
)

// memory returns MemoryLimit and MemoryLeft in a file system with /proc and /sys. What
// cannot be read sets no limit, or is not used.
func memory(system fs.FS) (limit, left int64) {
	groups, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return 0, 0
	}
	mounts, err := fs.ReadFile(system, "proc/self/mountinfo")
	if err != nil {
		return 0, 0
	}
	one, two := groupsOf(groups)
	for _, m := range mountsOf(mounts) {
		group := two
		if m.version == version1 {
			group = one
		}
		if group == "" {
			continue
		}
		for _, folder := range m.folders(group) {
			n := m.limit(system, folder)
			if n == 0 {
				continue
			}
			if limit == 0 || n < limit {
				limit = n
			}
			if n = max(1, n-m.used(system, folder)); left == 0 || n < left {
				left = n
			}
		}
	}
	return limit, left
}

// limit is that of the group with a folder; 0: none.
func (v *version) limit(system fs.FS, folder string) (least int64) {
	for _, file := range v.limits {
		if n := readLimit(system, path.Join(folder, file)); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// used is the memory that the group uses, but for files that are cached.
func (v *version) used(system fs.FS, folder string) int64 {
	used := readLimit(system, path.Join(folder, v.usage))
	stat, err := fs.ReadFile(system, path.Join(folder, "memory.stat"))
	if err != nil {
		return used
	}
	for lines := bufio.NewScanner(bytes.NewReader(stat)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 && slices.Contains(v.caches, name) {
			used -= n
		}
	}
	return max(0, used)
}

// groupsOf returns the groups of /proc/self/cgroup: that of the memory controller
// of version 1, and that of version 2; "" where there is none. A line is
// hierarchy:controllers:group, with hierarchy 0 and no controllers in version 2.
func groupsOf(text []byte) (one, two string) {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		f := strings.SplitN(lines.Text(), ":", 3)
		switch {
		case len(f) != 3 || !strings.HasPrefix(f[2], "/"):
		case f[0] == "0" && f[1] == "":
			two = f[2]
		case has(f[1], "memory"):
			one = f[2]
		}
	}
	return one, two
}

// mountsOf returns the mounts of /proc/self/mountinfo that have limits of memory.
// A line is, among others, root and mount point as its 4th and 5th field, and
// behind a field "-" the type, the source and the options of the file system.
func mountsOf(text []byte) (list []mount) {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		before, behind, _ := strings.Cut(lines.Text(), " - ")
		f, kind := strings.Fields(before), strings.Fields(behind)
		if len(f) < 6 || len(kind) < 3 {
			continue
		}
		m := mount{root: unescaped(f[3]), point: unescaped(f[4])}
		switch {
		case kind[0] == "cgroup2":
			m.version = version2
		case kind[0] == "cgroup" && has(kind[2], "memory"):
			m.version = version1
		default:
			continue
		}
		list = append(list, m)
	}
	return list
}

func has(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// unescaped undoes the octal escapes of mountinfo: \040 is a space.
func unescaped(field string) string {
	var b strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if c, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(field[i])
	}
	return b.String()
}

// folders are those of a group and of all around it, as far as the mount shows
// them. Where a container's own group is mounted as the top, but /proc has its
// path from further up, that is the top of the mount.
func (m *mount) folders(group string) (list []string) {
	rel := path.Clean(group)
	if m.root != "/" {
		inside, ok := strings.CutPrefix(rel, m.root)
		if !ok || inside != "" && inside[0] != '/' {
			inside = ""
		}
		rel = inside
	}
	top := strings.TrimPrefix(path.Clean(m.point), "/")
	for rel = strings.Trim(rel, "/"); rel != "" && rel != "."; rel = path.Dir(rel) {
		if !strings.HasPrefix(rel, "..") { // a group outside the namespace's
			list = append(list, path.Join(top, rel))
		}
	}
	return append(list, top)
}

// readLimit reads a limit; 0: none, or no such file.
func readLimit(system fs.FS, file string) int64 {
	b, err := fs.ReadFile(system, file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64) // "max" is no number
	if err != nil || n >= unlimited {
		return 0
	}
	return max(1, int64(n)) // 0 leaves nothing, and is a limit
}
