//go:build !garaph_never

package odd

import "github.com/garaph/garaph/programs"

// Tagged is there under a build constraint only.
type Tagged struct{ programs.KCore }
