package cli

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"github.com/vbauerster/mpb/v8"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/results"
)

// console is standard error: log lines everywhere, and bars on a terminal. Lines
// that come while bars are on the screen go above them.
type console struct {
	w              io.Writer
	tty            bool // a terminal that has a size
	verbose, quiet bool
	flags          consoleFlags
	log            *zap.Logger
	updates        *updates // progress as JSON, if wanted
	metrics        *metrics

	mu   sync.Mutex    // guards bars, and w while there are none
	bars *mpb.Progress // on the screen
}

// consoleFlags say what of a command is shown, and how.
type consoleFlags struct {
	progress, logFormat *string
	metrics, file       *string // the address, and the file
	fd                  *int
}

// The forms of progress and of log lines.
const (
	progressAuto  = "auto"
	progressLines = "lines"
	progressJSON  = "json"
	progressNone  = "none"

	logText = "text"
	logJSON = "json"
)

// logTime is the form of times in log lines of JSON: RFC 3339, UTC, with milliseconds.
const logTime = "2006-01-02T15:04:05.000Z"

func newConsole(stderr io.Writer) *console {
	return &console{
		w: stderr, tty: hasSize(stderr), log: zap.NewNop(), metrics: newMetrics(),
		flags: consoleFlags{new(progressAuto), new(logText), new(""), new(""), new(0)},
	}
}

// hasSize reports whether w is a terminal with a size. Under script(1), one may have none.
func hasSize(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return err == nil && width > 0 && height > 0
}

// declare declares the flags of every command.
func (c *console) declare(fs *pflag.FlagSet) {
	fs.BoolVarP(&c.verbose, "verbose", "v", false, "report every iteration and what the engine does")
	fs.BoolVarP(&c.quiet, "quiet", "q", false, "report warnings and errors only")
	c.flags = consoleFlags{
		progress:  flags.Enum(fs, "progress", progressAuto, []string{progressAuto, progressLines, progressJSON, progressNone}, "how far a job is: as bars on a terminal and elsewhere in lines now and then (auto), in lines, as a JSON object in each line, or not at all"),
		fd:        fs.Int("progress-fd", 0, "the file descriptor for --progress json (default standard error)"),
		logFormat: flags.Enum(fs, "log-format", logText, []string{logText, logJSON}, "how what is reported is written: for people, or as a JSON object in each line"),
		metrics:   fs.String("metrics", "", "`ADDRESS` where the command serves metrics for Prometheus, and profiles, until it ends: localhost:9100, or localhost:0 for any free port"),
		file:      fs.String("metrics-file", "", "`FILE` for metrics, written every 15 s and at the end: NAME.prom for the node exporter's textfile collector"),
	}
}

// open begins to log, when the flags are known.
func (c *console) open() error {
	level := zap.InfoLevel
	switch {
	case c.verbose && c.quiet:
		return Usagef("--verbose and --quiet do not go together")
	case c.quiet:
		level = zap.WarnLevel
	case c.verbose:
		level = zap.DebugLevel
	}
	c.log = zap.New(zapcore.NewCore(c.encoder(), zapcore.AddSync(printableLines{c, c.jsonLog()}), level), zap.Hooks(c.metrics.logged))
	if err := c.openUpdates(); err != nil {
		return err
	}
	if *c.flags.file != "" {
		if err := c.metrics.keep(*c.flags.file, c.log); err != nil {
			return err
		}
	}
	if *c.flags.metrics == "" {
		return nil
	}
	url, err := c.metrics.serve(*c.flags.metrics)
	if err == nil {
		c.log.Info("metrics are at " + url)
	}
	return err
}

// encoder returns the form of log lines.
func (c *console) encoder() zapcore.Encoder {
	config := zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", MessageKey: "message", ConsoleSeparator: " ",
		EncodeTime:     zapcore.TimeEncoderOfLayout(time.TimeOnly),
		EncodeLevel:    zapcore.LowercaseLevelEncoder,
		EncodeDuration: zapcore.StringDurationEncoder,
	}
	if !c.jsonLog() {
		return zapcore.NewConsoleEncoder(config)
	}
	config.EncodeDuration = zapcore.SecondsDurationEncoder
	config.EncodeTime = func(t time.Time, e zapcore.PrimitiveArrayEncoder) { e.AppendString(t.UTC().Format(logTime)) }
	return zapcore.NewJSONEncoder(config)
}

// openUpdates begins to write progress as JSON, if that is wanted.
func (c *console) openUpdates() error {
	fd := *c.flags.fd
	switch {
	case *c.flags.progress != progressJSON && fd != 0:
		return Usagef("--progress-fd needs --progress json")
	case *c.flags.progress != progressJSON:
		return nil
	case fd == 0:
		c.updates = &updates{w: c}
		return nil
	}
	if err := results.CheckInherited(fd, unix.O_RDONLY, "writing"); err != nil {
		return Usagef("--progress-fd %d: %w", fd, err)
	}
	c.updates = &updates{w: pipeWriter{os.NewFile(uintptr(fd), "progress")}}
	return nil
}

// draws reports that progress is shown as bars.
func (c *console) draws() bool { return c.tty && !c.quiet && *c.flags.progress == progressAuto }

// lists reports that progress is shown in lines.
func (c *console) lists() bool {
	return !c.quiet && (*c.flags.progress == progressLines || *c.flags.progress == progressAuto && !c.tty)
}

func (c *console) jsonLog() bool { return *c.flags.logFormat == logJSON }

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
	if !c.draws() {
		c.log.Info(message)
	}
}

// summary prints a line without time or level.
func (c *console) summary(line string) {
	switch {
	case c.quiet:
	case c.jsonLog():
		c.log.Info(line)
	default:
		_, _ = io.WriteString(c, line+"\n") // there is no other place to report it
	}
}

// complain reports how the command failed.
func (c *console) complain(line string, exit int) {
	if !c.jsonLog() {
		_, _ = io.WriteString(c, line+"\n") // there is no other place to report it
		return
	}
	line = strings.ReplaceAll(line, "\n", " ")
	_ = json.NewEncoder(c).Encode(complaint{time.Now().UTC().Format(logTime), "error", line, exit})
}

// complaint is the last line of a command that failed, in the JSON form of log lines.
type complaint struct {
	Time    string `json:"time"`
	Level   string `json:"level"`
	Message string `json:"message"`
	Exit    int    `json:"exit"`
}

// close removes the bars from the screen.
func (c *console) close() {
	c.mu.Lock()
	bars := c.bars
	c.bars = nil
	c.mu.Unlock()
	if bars != nil {
		bars.Shutdown()
	}
}
