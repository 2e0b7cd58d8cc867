package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"
)

// logTime is the form of times in log lines of JSON: RFC 3339, UTC, with milliseconds.
const logTime = "2006-01-02T15:04:05.000Z"

// jsonEncoder writes log lines as JSON objects.
func jsonEncoder() zapcore.Encoder {
	return zapcore.NewJSONEncoder(zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", MessageKey: "message",
		EncodeTime: func(t time.Time, e zapcore.PrimitiveArrayEncoder) {
			e.AppendString(t.UTC().Format(logTime))
		},
		EncodeLevel:    zapcore.LowercaseLevelEncoder,
		EncodeDuration: zapcore.SecondsDurationEncoder,
		LineEnding:     zapcore.DefaultLineEnding,
	})
}

// textCore writes log lines for people: the time of day, the level, the message, and
// fields as key=value. Zap's own writes fields as a tail of JSON.
type textCore struct {
	zapcore.LevelEnabler
	w      io.Writer
	fields []zapcore.Field
}

// With adds fields to every line.
func (c *textCore) With(fields []zapcore.Field) zapcore.Core {
	return &textCore{c.LevelEnabler, c.w, append(c.fields[:len(c.fields):len(c.fields)], fields...)}
}

// Check adds the core to an entry that it writes.
func (c *textCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return checked.AddCore(e, c)
	}
	return checked
}

// Write writes a line.
func (c *textCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", e.Time.Format(time.TimeOnly), e.Level, e.Message)
	for _, f := range append(c.fields[:len(c.fields):len(c.fields)], fields...) {
		values := zapcore.NewMapObjectEncoder()
		f.AddTo(values)
		b.WriteString(" " + strings.ReplaceAll(f.Key, " ", "_") + "=" + fieldText(values.Fields[f.Key]))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(c.w, b.String())
	return err
}

// Sync does nothing: lines are not kept.
func (c *textCore) Sync() error { return nil }

// fieldText is the value of a field: a word, or in quotes.
func fieldText(value any) string {
	if d, ok := value.(time.Duration); ok {
		return d.String()
	}
	text := fmt.Sprint(value)
	if text == "" || strings.ContainsAny(text, " =\"\n") {
		return strconv.Quote(text)
	}
	return text
}
