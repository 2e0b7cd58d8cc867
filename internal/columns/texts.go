package columns

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// Dates, timestamps, UUIDs and decimals are read as text: 2024-01-31, 2024-01-31T12:00:00.5Z, the
// canonical form of a UUID and plain digits. A decimal is read as a number beside that.

const uuidBytes = 16

func dateText(days int64) string { return time.Unix(days*24*60*60, 0).UTC().Format(time.DateOnly) }

func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func uuidText(b []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func decimalText(n *big.Int, scale int32) string { return decimal256.FromBigInt(n).ToString(scale) }

// unscaled returns the integer of a decimal in Parquet: a complement of two, big-endian.
func unscaled(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// formatted returns the values of n rows as text, and of a decimal as numbers too.
func (x *buffers) formatted(v *Values, n int, decimal bool, text func(i int) string) {
	v.Text = x.strings(v, 0, n, func(i int) []byte { return []byte(text(i)) })
	if !decimal {
		return
	}
	v.Floats = grown(&x.floats, n)
	for i, s := range v.Text {
		v.Floats[i], _ = strconv.ParseFloat(string(s), 64) // a null has no text
	}
}

// texter returns the text of the values of an array, or nil if they are not read as text.
func texter(a arrow.Array) func(i int) string {
	switch a := a.(type) {
	case *array.Date32:
		return func(i int) string { return dateText(int64(a.Value(i))) }
	case *array.Date64:
		return func(i int) string { return timeText(a.Value(i).ToTime())[:len(time.DateOnly)] }
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		return func(i int) string { return timeText(a.Value(i).ToTime(unit)) }
	case *array.FixedSizeBinary:
		return func(i int) string { return uuidText(a.Value(i)) }
	case *array.Decimal32:
		return func(i int) string { return a.Value(i).ToString(scaleOf(a)) }
	case *array.Decimal64:
		return func(i int) string { return a.Value(i).ToString(scaleOf(a)) }
	case *array.Decimal128:
		return func(i int) string { return a.Value(i).ToString(scaleOf(a)) }
	case *array.Decimal256:
		return func(i int) string { return a.Value(i).ToString(scaleOf(a)) }
	}
	return nil
}

func scaleOf(a arrow.Array) int32 { return a.DataType().(arrow.DecimalType).GetScale() }

// hasText reports whether texter has the text of arrays of a type.
func hasText(t arrow.DataType) bool {
	f, fixed := t.(*arrow.FixedSizeBinaryType)
	return fixed && f.ByteWidth == uuidBytes || arrow.IsDecimal(t.ID()) ||
		slices.Contains([]arrow.Type{arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP}, t.ID())
}

// parquetText reports whether the values of a column are read as text that they are not, and whether they are decimals.
func parquetText(n *schema.PrimitiveNode) (text, decimal bool) {
	switch n.LogicalType().(type) {
	case schema.DecimalLogicalType:
		return true, true
	case schema.DateLogicalType, schema.TimestampLogicalType, schema.UUIDLogicalType:
		return true, false
	}
	t := n.PhysicalType()
	return t == parquet.Types.Int96 || t == parquet.Types.FixedLenByteArray && n.TypeLength() == uuidBytes, false
}

// format returns the text of a value of a column that is an integer, or bytes.
func (c *chunk) format() (ints func(int64) string, bytes func([]byte) string) {
	switch t := c.Descriptor().LogicalType().(type) {
	case schema.DecimalLogicalType:
		return func(x int64) string { return decimalText(big.NewInt(x), t.Scale()) },
			func(b []byte) string { return decimalText(unscaled(b), t.Scale()) }
	case schema.DateLogicalType:
		return dateText, nil
	case schema.TimestampLogicalType:
		unit := map[schema.TimeUnitType]arrow.TimeUnit{schema.TimeUnitMillis: arrow.Millisecond,
			schema.TimeUnitMicros: arrow.Microsecond}
		u, known := unit[t.TimeUnit()]
		if !known {
			u = arrow.Nanosecond
		}
		return func(x int64) string { return timeText(arrow.Timestamp(x).ToTime(u)) }, nil
	}
	return nil, uuidText
}

// asText reads n values as text that they are not.
func (c *chunk) asText(n int) (v Values, err error) {
	ints, bytes := c.format()
	var value func(i int) string
	switch r := c.ColumnChunkReader.(type) {
	case *file.Int64ColumnChunkReader:
		v.Ints, v.Null, err = read(c, r.ReadBatch, &c.ints, n)
		value = func(i int) string { return ints(v.Ints[i]) }
	case *file.Int32ColumnChunkReader:
		v.Ints, v.Null, err = read32(c, r, n)
		value = func(i int) string { return ints(v.Ints[i]) }
	case *file.Int96ColumnChunkReader:
		var list []parquet.Int96
		list, v.Null, err = read(c, r.ReadBatch, &c.i96, n)
		value = func(i int) string { return timeText(list[i].ToTime()) }
	case *file.FixedLenByteArrayColumnChunkReader:
		var list []parquet.FixedLenByteArray
		list, v.Null, err = read(c, r.ReadBatch, &c.fixed, n)
		value = func(i int) string { return bytes(list[i]) }
	case *file.ByteArrayColumnChunkReader:
		var list []Bytes
		list, v.Null, err = read(c, r.ReadBatch, &c.bytes, n)
		value = func(i int) string { return bytes(list[i]) }
	}
	if err == nil {
		c.formatted(&v, n, c.Decimal, value)
	}
	v.Ints = nil
	return v, err
}
