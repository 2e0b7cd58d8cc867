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
	"golang.org/x/term"
)

// console is standard error: log lines everywhere, and bars on a terminal. Lines
// that come while bars are on the screen go above them.
type console struct {
	w              io.Writer
	tty            bool // a terminal, of a size that it knows: on others no bar appears
	verbose, quiet bool
	flags          consoleFlags
	log            *zap.Logger
	updates        *updates // nil: progress is not wanted as JSON
	metrics        *metrics // nil: not served

	mu     sync.Mutex    // guards the rest, and w while there are no bars
	bars   *mpb.Progress // nil: none on the screen
	screen *screen       // while there are bars; nil: not a file
}

// consoleFlags say what of a command is shown, and how.
type consoleFlags struct {
	progress, logFormat *string
	metrics             *string // the address; "": none
	fd                  *int
}

// The forms of progress.
const (
	progressAuto  = "auto"
	progressLines = "lines"
	progressJSON  = "json"
	progressNone  = "none"
)

// The forms of log lines.
const (
	logText = "text"
	logJSON = "json"
)

func newConsole(stderr io.Writer) *console {
	return &console{
		w: stderr, tty: hasSize(stderr), log: zap.NewNop(),
		flags: consoleFlags{new(progressAuto), new(logText), new(""), new(0)},
	}
}

// hasSize reports whether it is a terminal with a size. One that was never given any has none, as under script(1).
func hasSize(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	width, height, err := term.GetSize(int(f.Fd())) // an error of what is no terminal
	return err == nil && width > 0 && height > 0
}

// declare declares the flags of every command.
func (c *console) declare(fs *pflag.FlagSet) {
	fs.BoolVarP(&c.verbose, "verbose", "v", false, "report every iteration and what the engine does")
	fs.BoolVarP(&c.quiet, "quiet", "q", false, "report warnings and errors only")
	c.flags = consoleFlags{
		progress:  enumFlag(fs, "progress", progressAuto, []string{progressAuto, progressLines, progressJSON, progressNone}, "how far a job is: as bars on a terminal and elsewhere in lines now and then (auto), in lines, as a JSON object in each line, or not at all"),
		fd:        progressFDFlag(fs),
		logFormat: enumFlag(fs, "log-format", logText, []string{logText, logJSON}, "how what is reported is written: for people, or as a JSON object in each line"),
		metrics:   fs.String("metrics", "", "`ADDRESS` where the command serves metrics for Prometheus, and profiles, until it ends: localhost:9100, or localhost:0 for any free port"),
	}
}

// open begins to log, when the flags are known.
func (c *console) open() error {
	if c.verbose && c.quiet {
		return Usagef("--verbose and --quiet do not go together")
	}
	level := zap.InfoLevel
	switch {
	case c.quiet:
		level = zap.WarnLevel
	case c.verbose:
		level = zap.DebugLevel
	}
	if c.jsonLog() {
		c.log = zap.New(zapcore.NewCore(jsonEncoder(), zapcore.AddSync(c), level))
	} else {
		c.log = zap.New(&textCore{LevelEnabler: level, w: printableLines{c}})
	}
	if err := c.openUpdates(); err != nil {
		return err
	}
	return c.openMetrics()
}

// openMetrics begins to serve metrics, if that is wanted.
func (c *console) openMetrics() error {
	if *c.flags.metrics == "" {
		return nil
	}
	m, url, err := newMetrics(*c.flags.metrics, versionText())
	if err != nil {
		return err
	}
	c.metrics = m
	c.log = c.log.WithOptions(zap.Hooks(m.logged))
	c.log.Info("metrics are at " + url)
	return nil
}

// openUpdates begins to write progress as JSON, if that is wanted.
func (c *console) openUpdates() error {
	switch fd := *c.flags.fd; {
	case *c.flags.progress != progressJSON && fd != 0:
		return Usagef("--progress-fd needs --progress json")
	case *c.flags.progress != progressJSON:
		return nil
	case fd != 0:
		c.updates = &updates{w: newPipeWriter(fd)}
	default:
		c.updates = &updates{w: c}
	}
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
	if _, err := c.w.Write(c.amid(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// begin reports what begins. On a terminal the bar shows it.
func (c *console) begin(message string) {
	if !c.draws() {
		c.log.Info(message)
	}
}

// summary reports how something ended, without the clothes of a log line.
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
	line = strings.ReplaceAll(line, "\n", " ")                                                      // as every other message
	_ = json.NewEncoder(c).Encode(complaint{time.Now().UTC().Format(logTime), "error", line, exit}) // likewise
}

// complaint is the last line of a command that failed, in the JSON form of log lines.
type complaint struct {
	Time    string `json:"time"`
	Level   string `json:"level"`
	Message string `json:"message"`
	Exit    int    `json:"exit"`
}

// close takes what is left on the screen away.
func (c *console) close() {
	c.mu.Lock()
	bars, screen := c.bars, c.screen
	c.bars, c.screen = nil, nil
	c.mu.Unlock()
	if bars != nil {
		bars.Shutdown()
	}
	if screen != nil {
		screen.leave()
	}
}
