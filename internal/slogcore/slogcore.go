// Package slogcore passes log entries of zap to package log/slog.
package slogcore

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// New returns a logger that passes all entries to l.
func New(l *slog.Logger) *zap.Logger { return zap.New(&core{handler: l.Handler()}) }

// core is a zap core that passes entries to a slog handler. (Package zapslog converts in the other direction.)
type core struct{ handler slog.Handler }

func level(l zapcore.Level) slog.Level {
	switch {
	case l < zapcore.InfoLevel:
		return slog.LevelDebug
	case l < zapcore.WarnLevel:
		return slog.LevelInfo
	case l < zapcore.ErrorLevel:
		return slog.LevelWarn
	default:
		return slog.LevelError
	}
}

func (c *core) Enabled(l zapcore.Level) bool {
	return c.handler.Enabled(context.Background(), level(l))
}

func (c *core) With(fields []zapcore.Field) zapcore.Core {
	return &core{c.handler.WithAttrs(attributes(fields))}
}

func (c *core) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return to.AddCore(e, c)
	}
	return to
}

func (c *core) Write(e zapcore.Entry, fields []zapcore.Field) error {
	r := slog.NewRecord(e.Time, level(e.Level), e.Message, 0)
	r.AddAttrs(attributes(fields)...)
	return c.handler.Handle(context.Background(), r)
}

func (c *core) Sync() error { return nil }

// attributes returns fields as slog attributes, in the order of their names.
func attributes(fields []zapcore.Field) []slog.Attr {
	m := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(m)
	}
	var all []slog.Attr
	for _, key := range slices.Sorted(maps.Keys(m.Fields)) {
		all = append(all, slog.Any(key, m.Fields[key]))
	}
	return all
}
