package compiled

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
)

// Fresh reports whether files, the text of a program and of the functions that its methods call,
// have a [FilesHash]: whether code that was made of them is still of the
// same program. Generated code asks it.
func Fresh(files fs.FS, hash string) bool {
	now, err := FilesHash(files)
	return err == nil && now == hash
}

// FilesHash returns a hash of all files in the root of a file system and their names.
func FilesHash(files fs.FS) (string, error) {
	names, err := fs.Glob(files, "*") // sorted
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return "", err
		}
		h.Write([]byte(name + "\x00"))
		h.Write(text)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
