package cli

import (
	"io"
	"os"
	"sync"

	"github.com/vbauerster/mpb/v8"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/term"
)

// console is standard error: log lines everywhere, and bars on a terminal. Lines
// that come while bars are on the screen go above them.
type console struct {
	w              io.Writer
	tty            bool
	verbose, quiet bool
	log            *zap.Logger

	mu   sync.Mutex    // guards bars, and w while there are none
	bars *mpb.Progress // nil: none on the screen
}

func newConsole(stderr io.Writer) *console {
	f, ok := stderr.(*os.File)
	return &console{w: stderr, tty: ok && term.IsTerminal(int(f.Fd())), log: zap.NewNop()}
}

// open begins to log, when the flags are known.
func (c *console) open() {
	level := zap.InfoLevel
	switch {
	case c.quiet:
		level = zap.WarnLevel
	case c.verbose:
		level = zap.DebugLevel
	}
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", MessageKey: "message",
		EncodeTime:       zapcore.TimeEncoderOfLayout("15:04:05"),
		EncodeLevel:      zapcore.LowercaseLevelEncoder,
		EncodeDuration:   zapcore.StringDurationEncoder,
		ConsoleSeparator: " ",
	})
	c.log = zap.New(zapcore.NewCore(encoder, zapcore.AddSync(printableLines{c}), level))
}

// Write puts whole lines onto the console.
func (c *console) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bars != nil {
		return c.bars.Write(b)
	}
	return c.w.Write(b)
}

// begin reports what begins. On a terminal the bar shows it.
func (c *console) begin(message string) {
	if !c.tty {
		c.log.Info(message)
	}
}

// summary reports how something ended, without the clothes of a log line.
func (c *console) summary(line string) {
	if !c.quiet {
		_, _ = io.WriteString(c, line+"\n") // there is no other place to report it
	}
}

// close takes what is left on the screen away.
func (c *console) close() {
	c.mu.Lock()
	bars := c.bars
	c.bars = nil
	c.mu.Unlock()
	if bars != nil {
		bars.Shutdown()
	}
}
