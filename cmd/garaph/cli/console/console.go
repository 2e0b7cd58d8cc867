// Package console is standard error: log lines, progress as bars, lines or JSON, and metrics.
package console

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

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/results"
)

// Console is standard error: log lines everywhere, and bars on a terminal. Lines
// that come while bars are on the screen go above them.
type Console struct {
	w              io.Writer
	tty            bool // a terminal that has a size
	Verbose, quiet bool
	flags          consoleFlags
	Log            *zap.Logger
	updates        *updates // progress as JSON, if wanted
	Metrics        *metrics

	mu   sync.Mutex    // guards bars, and w while there are none
	bars *mpb.Progress // on the screen
}

// consoleFlags holds the flags of the console.
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

// New returns a console that writes to stderr. It is silent until Open.
func New(stderr io.Writer, version string) *Console {
	return &Console{
		w: stderr, tty: hasSize(stderr), Log: zap.NewNop(), Metrics: newMetrics(version),
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

// Declare declares the flags of every command.
func (c *Console) Declare(fs *pflag.FlagSet) {
	fs.BoolVarP(&c.Verbose, "verbose", "v", false, "report every iteration and what the engine does")
	fs.BoolVarP(&c.quiet, "quiet", "q", false, "report warnings and errors only")
	c.flags = consoleFlags{
		progress: flags.Enum(fs, "progress", progressAuto, []string{progressAuto, progressLines, progressJSON, progressNone},
			"how to show progress: as bars on a terminal and lines elsewhere (auto), as lines, as JSON lines, or "+
				"not at all"),
		fd:        fs.Int("progress-fd", 0, "the file descriptor for --progress json (default standard error)"),
		logFormat: flags.Enum(fs, "log-format", logText, []string{logText, logJSON}, "form of log lines"),
		metrics: fs.String("metrics", "", "`ADDRESS` to serve metrics for Prometheus and profiles at, such as "+
			"localhost:9100"),
		file: fs.String("metrics-file", "", "`FILE` for metrics, written every 15 s and at the end, for the "+
			"textfile collector of the node exporter"),
	}
}

// Open begins to log, when the flags are known.
func (c *Console) Open() error {
	level := zap.InfoLevel
	switch {
	case c.Verbose && c.quiet:
		return flags.Usagef("--verbose and --quiet do not go together")
	case c.quiet:
		level = zap.WarnLevel
	case c.Verbose:
		level = zap.DebugLevel
	}
	c.Log = zap.New(zapcore.NewCore(c.encoder(), zapcore.AddSync(logLines{c}), level), zap.Hooks(c.Metrics.logged))
	if err := c.openUpdates(); err != nil {
		return err
	}
	if *c.flags.file != "" {
		if err := c.Metrics.keep(*c.flags.file, c.Log); err != nil {
			return err
		}
	}
	if *c.flags.metrics == "" {
		return nil
	}
	url, err := c.Metrics.serve(*c.flags.metrics)
	if err == nil {
		c.Log.Info("metrics are at " + url)
	}
	return err
}

// logLines writes log lines to a console, printable if they are text.
type logLines struct{ c *Console }

func (l logLines) Write(b []byte) (int, error) {
	line := string(b)
	if !l.c.jsonLog() {
		line = show.Printable(strings.TrimSuffix(line, "\n")) + "\n"
	}
	if _, err := io.WriteString(l.c, line); err != nil {
		return 0, err
	}
	return len(b), nil
}

// encoder returns the form of log lines.
func (c *Console) encoder() zapcore.Encoder {
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
func (c *Console) openUpdates() error {
	fd := *c.flags.fd
	switch {
	case *c.flags.progress != progressJSON && fd != 0:
		return flags.Usagef("--progress-fd needs --progress json")
	case *c.flags.progress != progressJSON:
		return nil
	case fd == 0:
		c.updates = &updates{w: c}
		return nil
	}
	if err := results.CheckInherited(fd, unix.O_RDONLY, "writing"); err != nil {
		return flags.Usagef("--progress-fd %d: %w", fd, err)
	}
	c.updates = &updates{w: pipeWriter{os.NewFile(uintptr(fd), "progress")}}
	return nil
}

// draws reports that progress is shown as bars.
func (c *Console) draws() bool { return c.tty && !c.quiet && *c.flags.progress == progressAuto }

// Lists reports that progress is shown in lines.
func (c *Console) Lists() bool {
	return !c.quiet && (*c.flags.progress == progressLines || *c.flags.progress == progressAuto && !c.tty)
}

func (c *Console) jsonLog() bool { return *c.flags.logFormat == logJSON }

// Write puts whole lines onto the console.
func (c *Console) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bars != nil {
		return c.bars.Write(b)
	}
	return c.w.Write(b)
}

// Begin reports the beginning of a task. On a terminal the bar shows it.
func (c *Console) Begin(message string) {
	if !c.draws() {
		c.Log.Info(message)
	}
}

// Summary prints a line without time or level.
func (c *Console) Summary(line string) {
	switch {
	case c.quiet:
	case c.jsonLog():
		c.Log.Info(line)
	default:
		_, _ = io.WriteString(c, line+"\n") // there is no other place to report it
	}
}

// Complain reports how the command failed.
func (c *Console) Complain(line string, exit int) {
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

// Close removes the bars from the screen.
func (c *Console) Close() {
	c.mu.Lock()
	bars := c.bars
	c.bars = nil
	c.mu.Unlock()
	if bars != nil {
		bars.Shutdown()
	}
}
