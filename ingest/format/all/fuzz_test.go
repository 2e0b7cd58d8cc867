package all_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/ingest/read"
)

// The fuzz targets read bytes of any kind. Nothing may panic, hang or break the
// contract of a sink (readBytes looks at that), every error is one of this
// package's, and blocks and goroutines make no difference.

func fuzzOptions(f read.FormatName, choice uint16) read.Options {
	return read.Options{
		Format:       f,
		IDs:          []read.IDMode{read.IDsAuto, read.IDsDense, read.IDsInt, read.IDsString}[choice&3],
		Weights:      []read.WeightMode{read.WeightsAuto, read.WeightsYes, read.WeightsNo, read.WeightsAuto}[choice>>2&3],
		SkipBadLines: choice>>4&1 != 0,
	}
}

func fuzzRead(t *testing.T, name string, b []byte, f read.FormatName, choice uint16) {
	o := read.Options{BlockBytes: 16 + int(choice>>5&63), Threads: 1 + int(choice>>11&3)}
	checkKind(t, sameOutcome(t, t, name, b, fuzzOptions(f, choice), o))
}

// checkKind checks the counts of what was read, or the kind of the error.
func checkKind(t *testing.T, r readOutcome) {
	if r.err == nil {
		if r.stats.Entries != int64(len(r.sink.edges)) {
			t.Fatalf("%d entries counted, %d delivered", r.stats.Entries, len(r.sink.edges))
		}
		return
	}
	var (
		syntax  *read.SyntaxError
		input   *read.InputError
		damaged *read.DamagedError
	)
	if !errors.As(r.err, &syntax) && !errors.As(r.err, &input) && !errors.As(r.err, &damaged) {
		t.Fatalf("an error of no kind: %v", r.err)
	}
}

// seed adds content plain, compressed and with a few choices of options.
func seed(f *testing.F, contents ...string) {
	for i, content := range contents {
		f.Add([]byte(content), uint16(i*37))
		f.Add([]byte(content), uint16(i*37|16))
	}
	var z bytes.Buffer
	z.Write(gzipped(f, []byte(contents[0])))
	f.Add(z.Bytes(), uint16(0))
	f.Add(zstandard(f, []byte(contents[0])), uint16(0))
}

func FuzzReadText(f *testing.F) {
	seed(f, "1\t2\n3\t4\n", "# c\n1 2 0.5\n3 4 1e-3\r\n", "source,target\na,b\n",
		"\xef\xbb\xbf\"1\",\"2\"\n-5 , 18446744073709551615\n",
		"12345678901234567 9223372036854775808 1.000000059604644775390625\n", "a b\n1 2 3 4\n", "1 2\n1 x\n")
	f.Fuzz(func(t *testing.T, b []byte, choice uint16) {
		format := []read.FormatName{read.Auto, text.Text, text.EL, text.WEL}[choice>>13&3]
		fuzzRead(t, "g.txt", b, format, choice)
	})
}

func FuzzReadMatrixMarket(f *testing.F) {
	const banner = "%%MatrixMarket matrix coordinate "
	seed(f, banner+"pattern general\n% c\n3 4 2\n1 1\n3 4\n", banner+"real symmetric\n2 2 1\n2 1 0.5\n",
		banner+"integer general\n0 0 0\n", banner+"real general\n4294967295 1 1\n4294967295 1 7\n",
		banner+"complex hermitian\n")
	f.Fuzz(func(t *testing.T, b []byte, choice uint16) { fuzzRead(t, "g.mtx", b, "mtx", choice) })
}

func FuzzReadDIMACS(f *testing.F) {
	seed(f, "c x\np sp 3 2\na 1 2 7\na 3 3 0.5\n", "p sp 4294967295 1\r\na 1 4294967295 1\r\n",
		"p max 1 1\n", "p sp 0 0\n")
	f.Fuzz(func(t *testing.T, b []byte, choice uint16) { fuzzRead(t, "g.gr", b, text.DIMACS, choice) })
}

func FuzzReadSG(f *testing.F) {
	seed(f, string(writeSG(fourEdges, 4, false, false)), string(writeSG(fourEdges, 4, false, true)),
		string(writeSG(fourEdges, 4, true, true)),
		string(writeSG(nil, 0, false, false)), string(writeSG(fourEdges, 9, true, false)))
	f.Fuzz(func(t *testing.T, b []byte, choice uint16) {
		fuzzRead(t, "g.sg", b, []read.FormatName{"sg", "wsg"}[choice>>13&1], choice)
	})
}

func FuzzReadMETIS(f *testing.F) {
	seed(f, "% c\n4 3\n2 3\n1\n1 4\n3\n", "3 2 001\n2 5\n1 5 3 0.5\n2 0.5\n", "2 1 111 2\n9 1 1 2 7\n% c\n9 1 1 1 7\n",
		"0 0\n", "4294967295 0\n\n", "2 1 11\n1 2 3\n")
	f.Fuzz(func(t *testing.T, b []byte, choice uint16) { fuzzRead(t, "g.metis", b, "metis", choice) })
}

func FuzzReadLigra(f *testing.F) {
	seed(f, "AdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n0\n", "WeightedAdjacencyGraph\n2\n2\n0\n1\n1\n0\n0.5\n7\n",
		"AdjacencyGraph 0 0", "WeightedAdjacencyGraph\n1 99999999\n0\n0 0\n")
	f.Fuzz(func(t *testing.T, b []byte, choice uint16) { fuzzRead(t, "g.adj", b, "ligra", choice) })
}

func FuzzReadGraphML(f *testing.F) {
	seed(f, graphmlText("directed", `<node id="a"/><node id="b"/><edge source="a" target="b"/>`),
		graphmlText("undirected", `<node id="1"/><edge source="1" target="-2"><data key="w">2.5</data></edge>`),
		graphmlText("directed", `<node id="a"><data key="w"><x><edge/></x></data></node>`),
		`<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "b">]><graphml><graph edgedefault="directed"><node `+
			`id="&a;"/></graph></graphml>`)
	f.Fuzz(func(t *testing.T, b []byte, choice uint16) { fuzzRead(t, "g.graphml", b, "graphml", choice) })
}

func FuzzReadRaw(f *testing.F) {
	seed(f, string(writeRaw(fourEdges, false)), string(writeRaw(fourEdges, true)),
		"\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\xc0\x7f")
	f.Fuzz(func(t *testing.T, b []byte, choice uint16) {
		fuzzRead(t, "g.bin", b, []read.FormatName{"raw", "raww"}[choice>>13&1], choice)
	})
}

func FuzzReadLDBC(f *testing.F) {
	seed(f, "1\n2\n-3\n", "1 2 0.5\n2 -3 1\n", "a\nb\n", "9223372036854775807 -9223372036854775808\n")
	f.Fuzz(func(t *testing.T, b []byte, choice uint16) {
		fuzzRead(t, []string{"x.v", "x.e"}[choice>>13&1], b, text.LDBC, choice)
	})
}
