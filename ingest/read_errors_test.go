package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

const (
	skipHint    = "--skip-bad-lines to pass over such lines"
	semicolons  = "expected fields separated by spaces, tabs or commas; use --delimiter ';'"
	orCommas    = ", or --delimiter , where commas alone separate the fields"
	firstTwo    = ", or --weights no where the first two are the ids, to pass over what follows them"
	numbersFrom = "use --columns SRC,DST[,WEIGHT], by their numbers from 1" + firstTwo
	around      = "use --columns 1,3 where the ids are the first and the third, or --weights no where they are the first two, to pass over what follows them"
)

// joinHint is the advice about a quote that is not closed on its line; separator is one of fields, in Python.
func joinHint(file, separator string) string {
	const join = `; a field ends on its line; where it goes on in the next one, join the two: python3 -c 'import sys, re; ` +
		`s = re.sub(rb"(?m)^[ \t]*[#%].*|(?:^(?:\xef\xbb\xbf)?|SEP)[ \t]*\"[^\"]*(?:\"\"[^\"]*)*\"(?=[ \t]*(?:SEP|\r?$))", lambda m: re.sub(rb"[\r\n]+", b" ", m[0]), open(sys.argv[1], "rb").read()); ` +
		`sys.stdout.buffer.write(s)' 'FILE' > 'new-FILE', and import 'new-FILE'; where quotes are characters as others, and around no field, leave them out: tr -d '"' < 'FILE' > 'new-FILE'`
	return strings.NewReplacer("FILE", file, "SEP", separator).Replace(join)
}

// TestSyntaxErrors has every complaint about a place in a text, word for word.
// The bad line stands behind good ones, so that small blocks are counted too.
func TestSyntaxErrors(t *testing.T) {
	good := strings.Repeat("1 2\n", 50)
	weighted := strings.Repeat("1 2 3\n", 50)
	mtx := "%%MatrixMarket matrix coordinate real general\n3 4 1\n"
	for _, c := range []struct {
		file testFile
		o    ReadOptions
		want string
	}{
		{text("g.txt", good+"x 3\n"), ReadOptions{IDs: IDsInt}, `g.txt:51: "x": expected an integer as source id; use --ids string to take ids as text, or ` + skipHint},
		{text("g.txt", good+"3 12y\n"), ReadOptions{IDs: IDsInt}, `g.txt:51: "12y": expected an integer as target id; use --ids string to take ids as text, or ` + skipHint},
		{text("g.txt", good+"3 -\n"), ReadOptions{IDs: IDsInt}, `g.txt:51: "-": expected an integer as target id; use --ids string to take ids as text, or ` + skipHint},
		{text("g.txt", strings.Repeat("1000000 2000000\n", 70_000)+"3 x\n1 y\n"), ReadOptions{}, `g.txt:70001: "x": expected an integer as target id, for the ids so far were integers; use --ids string to take ids as text, or ` + skipHint},
		{text("g.txt", strings.Repeat("1000000 2000000\n", 70_000)+"3 007\n"), ReadOptions{}, `g.txt:70001: "007": expected an integer without plus sign and leading zeros as target id, for the ids so far were such, and this one would be the same vertex as 7; use --ids string to keep them apart, --ids int to take both as one, or ` + skipHint},
		{text("g.txt", strings.Repeat("1000000 2000000\n", 70_000)+"0003 1\n"), ReadOptions{}, `g.txt:70001: "0003": expected an integer without plus sign and leading zeros as source id, for the ids so far were such, and this one would be the same vertex as 3; use --ids string to keep them apart, --ids int to take both as one, or ` + skipHint},
		{text("g.txt", strings.Repeat("1000000 2000000\n", 70_000)+"+3 1\n"), ReadOptions{}, `g.txt:70001: "+3": expected an integer without plus sign and leading zeros as source id, for the ids so far were such, and this one would be the same vertex as 3; use --ids string to keep them apart, --ids int to take both as one, or ` + skipHint},
		{text("g.txt", good+"1 18446744073709551616\n"), ReadOptions{IDs: IDsInt}, `g.txt:51: "18446744073709551616": expected an integer of at most 64 bits as target id; use --ids string to take ids as text, or ` + skipHint},
		{text("g.txt", good+"1 -9223372036854775809\n"), ReadOptions{IDs: IDsInt}, `g.txt:51: "-9223372036854775809": expected an integer of at most 64 bits as target id; use --ids string to take ids as text, or ` + skipHint},
		{text("g.txt", good+"-5 1\n1 -6\n9 18446744073709551615\n"), ReadOptions{}, `g.txt:53: "18446744073709551615": expected ids of one range, either with negative ones or with ones above 9223372036854775807, but g.txt:51 has -5; use --ids string to take ids as text`},
		{text("g.txt", good+"9223372036854775808 -1\n"), ReadOptions{}, `g.txt:51: "9223372036854775808": expected ids of one range, either with negative ones or with ones above 9223372036854775807, but g.txt:51 has -1; use --ids string to take ids as text`},
		{text("g.txt", good+"1 -1\n"), ReadOptions{IDs: IDsDense}, `g.txt:51: "-1": expected a target id from 0 to 4294967294; use --ids int for ids that are not dense, or ` + skipHint},
		{text("g.el", good+"4294967295 1\n"), ReadOptions{}, `g.el:51: "4294967295": expected a source id from 0 to 4294967294; use --ids int for ids that are not dense, or ` + skipHint},
		{text("g.el", good+"x 1\n"), ReadOptions{}, `g.el:51: "x": expected an integer as source id; use --ids string to take ids as text, or ` + skipHint},

		{text("g.txt", good+"3\n"), ReadOptions{}, `g.txt:51: "3": expected two ids; use ` + skipHint},
		{text("g.txt", "1 2\n# c\n1 2 3\n"), ReadOptions{Weights: WeightsYes}, `g.txt:1: "1 2": expected a weight behind the two ids; use ` + skipHint},
		{text("g.csv", "1,2,3,4\n2,3,4,5\n"), ReadOptions{}, `g.csv:1: "1,2,3,4": expected two ids, or two ids and a weight, and nothing behind them; ` + numbersFrom + `; rows of a matrix are no edges: scipy.io.mmwrite writes one as a file .mtx, which is read`},
		{text("g.csv", "1.0,2.0\n1,3\n2,3\n"), ReadOptions{}, `g.csv:1: "1.0,2.0": expected integers as ids, as those behind it are; write it so, or use --header if it names the columns, or --ids string to take all ids as text`},
		{text("g.txt", "1e3 2.5\n1 3\n"), ReadOptions{}, `g.txt:1: "1e3 2.5": expected integers as ids, as those behind it are; write it so, or use --header if it names the columns, or --ids string to take all ids as text`},
		{text("g.csv", "1;2\n"), ReadOptions{}, `g.csv:1: "1;2": expected fields separated by spaces, tabs or commas; use --delimiter ';'`},
		{text("g.txt", "1;2\n"), ReadOptions{}, `g.txt:1: "1;2": expected fields separated by spaces, tabs or commas; use --delimiter ';'`},
		{text("g.csv", "from,to\n1,2\nfrom,to\n2,3\n"), ReadOptions{}, `g.csv:3: "from": expected an integer as source id, for the ids so far were integers; it is the header once more: use one for all of the file, or ` + skipHint},
		{text("g.csv", "from,to,km\na,b,2\nfrom,to,km\n"), ReadOptions{}, `g.csv:3: "km": expected a number as weight; it is the header once more: use one for all of the file, or ` + skipHint},
		{text("g.txt", "1:2\n"), ReadOptions{}, `g.txt:1: "1:2": expected fields separated by spaces, tabs or commas; use --delimiter to name another separator`},
		{text("g.txt", "a:b:c\n1:2:3\n"), table(0, HeaderAuto, "a", "b"), `g.txt:1: "a:b:c": expected a column "a" in the header; give one of its names, or the column's number; --delimiter names the separator if it is no blank and no comma`},
		{text("g.csv", "Basel;Bern;0,5\nBern;Brig;1,5\n"), ReadOptions{}, `g.csv:1: "Basel;Bern;0,5": ` + semicolons},
		{text("g.txt", "Basel;Bern;0,5\nBern;Brig;1\n"), table(0, HeaderNo), `g.txt:1: "Basel;Bern;0,5": ` + semicolons},
		{text("g.csv", "1;2;0,5\n2;3;1,5\n"), ReadOptions{}, `g.csv:1: "1;2;0,5": ` + semicolons},
		{text("g.txt", "1;2;0,5\n2;3;1,5\n"), ReadOptions{}, `g.txt:1: "1;2;0,5": ` + semicolons},
		{text("g.csv", "von;nach;km\nA;B;1,5\n"), ReadOptions{}, `g.csv:1: "von;nach;km": ` + semicolons},
		{text("g.csv", "von;nach;km\nA;B;1,5\n"), table(0, HeaderYes, "1", "2"), `g.csv:1: "von;nach;km": ` + semicolons},
		{text("g.csv", "von;nach;km\nA;B;1,5\n"), table(';', HeaderAuto), `g.csv:2: "1,5": expected a weight, or nothing, behind the two ids; write weights with points in the places of commas, or use --weights no to pass over what follows the ids`},
		{text("g.csv", "A;B;1,5\nC;D;2,5\n"), table(';', HeaderAuto), `g.csv:1: "1,5": expected a weight, or nothing, behind the two ids; write weights with points in the places of commas, or use --weights no to pass over what follows the ids`},
		{text("g.csv", "Köln|Bonn, Stadt\nBonn|Ulm, Stadt\n"), ReadOptions{}, `g.csv:1: "Köln|Bonn, Stadt": expected fields separated by spaces, tabs or commas; use --delimiter '|'` + orCommas},
		{text("g.txt", "Bonn, Stadt|Ulm\n"), ReadOptions{}, `g.txt:1: "Bonn, Stadt|Ulm": expected fields separated by spaces, tabs or commas; use --delimiter '|'` + orCommas},
		{text("g.csv", "Köln;Bonn, Stadt;5\n"), ReadOptions{}, `g.csv:1: "Köln;Bonn, Stadt;5": ` + semicolons + orCommas},
		{text("g.txt", "Anna Meier;Bob,jr\n"), ReadOptions{}, `g.txt:1: "Anna Meier;Bob,jr": ` + semicolons + orCommas},
		{text("g.txt", "A\tB\t0,5\nB\tC\t1,5\n"), ReadOptions{}, `g.txt:1: "A\tB\t0,5": expected names with spaces, tabs or commas between them, not several of these; use --delimiter tab where tabs alone separate the fields`},
		{text("g.txt", "A\tBonn, Stadt\n"), ReadOptions{}, `g.txt:1: "A\tBonn, Stadt": expected names with spaces, tabs or commas between them, not several of these; use --delimiter tab where tabs alone separate the fields, or --delimiter , where commas alone do`},
		{text("g.txt", "Source ID;Target ID\nNew York;Paris\n"), ReadOptions{}, `g.txt:1: "Source ID;Target ID": expected fields separated by spaces, tabs or commas; use --delimiter ';'`},
		{text("g.csv", "# trips\nNew York;Paris\nRome;New York\n"), ReadOptions{Weights: WeightsNo}, `g.csv:2: "New York;Paris": expected fields separated by spaces, tabs or commas; use --delimiter ';'`},
		{text("g.txt", "id,hops,parent\na,0,\n"), table(0, HeaderAuto, "parent", "id"), `g.txt:2: "a,0,": expected something in column 3, which is empty`},
		{text("g.txt", weighted+"3\n"), ReadOptions{}, `g.txt:51: "3": expected two ids and a weight; use ` + skipHint},
		{text("g.txt", weighted+"3 4\n"), ReadOptions{}, `g.txt:51: "3 4": expected a weight behind the two ids, as in the lines before; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", good), ReadOptions{Weights: WeightsYes}, `g.txt:1: "1 2": expected a weight behind the two ids`},
		{text("g.csv", "sep=;\n1;2\n3\n"), ReadOptions{}, `g.csv:3: "3": expected two ids; use ` + skipHint},
		{text("g.txt", good+"3 4 5\n"), ReadOptions{}, `g.txt:51: "3 4 5": expected 2 fields, as in the first line, and not 3; look at the file, where lines may have been joined; use ` + skipHint},
		{text("g.txt", "New York\tLos Angeles\t5\n"), ReadOptions{}, `g.txt:1: "New York\tLos Angeles\t5": expected names with spaces, tabs or commas between them, not several of these; use --delimiter tab where tabs alone separate the fields`},
		{text("g.txt", "Rome\tOslo\t5\nNew York\tOslo\t5\n"), ReadOptions{}, `g.txt:2: "New York\tOslo\t5": expected names with spaces, tabs or commas between them, not several of these; use --delimiter tab where tabs alone separate the fields, or ` + skipHint},
		{text("g.txt", "1 2 knows\n"), ReadOptions{}, `g.txt:1: "knows": expected a weight, or nothing, behind the two ids; use --weights no to pass over what follows the ids`},
		{text("g.txt", weighted+"3 4 5 6\n"), ReadOptions{}, `g.txt:51: "3 4 5 6": expected 3 fields, as in the first line, and not 4; look at the file, where lines may have been joined; use ` + skipHint},
		{text("g.txt", "1 2\n2 3\r3 4\n"), ReadOptions{}, `g.txt:2: "2 3\r3 4": expected lines that end with a line feed, but there are carriage returns within one; where they end lines, write line feeds in their places: tr '\r' '\n', or ` + skipHint},
		{text("g.csv", "a,b\nb,csource,target\n"), ReadOptions{}, `g.csv:2: "b,csource,target": expected 2 fields, as in the first line, and not 3; look at the file, where lines may have been joined; use ` + skipHint},
		{text("g.csv", "source,target,weight\na,b,1\nb,c,1a,b,2\n"), ReadOptions{}, `g.csv:3: "b,c,1a,b,2": expected 3 fields, as in the first line, and not 5; look at the file, where lines may have been joined; use ` + skipHint},
		{text("g.csv", "source,target,note\na,b\nb,c,x\n"), ReadOptions{}, `g.csv:3: "x": expected a weight, or nothing, behind the two ids; use --columns source,target to take these two, with a third one for weights, or --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.csv", "source,target\n0,10,20\n1,20,30\n"), ReadOptions{}, `g.csv:1: "source,target": expected 3 names, as the lines behind it have fields, and not 2; R and pandas leave out the name of the first column, of the names of rows: use --header --columns 2,3 then, or --header --columns 1,2,3 where the last column has no name`},
		{text("g.txt", "source  weight  target\n0  10  1 20\n"), ReadOptions{Weights: WeightsNo}, `g.txt:1: "source  weight  target": expected 4 names, as the lines behind it have fields, and not 3; R and pandas leave out the name of the first column, of the names of rows: use --header --columns 2,4,3 then, or --header --columns 1,3,2 where the last column has no name`},
		{text("g.txt", "\"from\" \"to\" \"kg\"\n\"1\" \"ann\" \"bob\" 3\n"), table(0, HeaderAuto, "from", "to"), `g.txt:1: "\"from\" \"to\" \"kg\"": expected 4 names, as the lines behind it have fields, and not 3; R and pandas leave out the name of the first column, of the names of rows: use --header --columns 2,3 then, or --header --columns 1,2 where the last column has no name`},
		{text("g.csv", "from,to,note\nAnn,Bob,\"x, y\"\nAnn,Bob,x,\nsee, this,Ann,Bob\n"), table(0, HeaderAuto, "from", "to"), `g.csv:4: "see, this,Ann,Bob": expected 3 fields, as in the header, and not 4; use ` + skipHint},
		{text("g.csv", "from,to,note\n1,2,x\n2,3,\"x, y\"\n3,4,x,y\n"), table(0, HeaderAuto, "from", "to"), `g.csv:4: "3,4,x,y": expected 3 fields, as in the header, and not 4; use ` + skipHint},
		{text("g.csv", "from,to\n1,2\n3,4,5\n"), table(0, HeaderAuto, "from", "to"), `g.csv:3: "3,4,5": expected 2 fields, as in the header, and not 3; use ` + skipHint},
		{text("g.txt", "1 2\n2\tNew York\n"), ReadOptions{IDs: IDsString}, `g.txt:2: "2\tNew York": expected names with spaces, tabs or commas between them, not several of these; use --delimiter tab where tabs alone separate the fields, or ` + skipHint},
		{text("g.el", good+"3 4 5\n"), ReadOptions{}, `g.el:51: "3 4 5": expected two ids and nothing behind them; use --format wel to take weights, or --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.wel", weighted+"3 4\n"), ReadOptions{}, `g.wel:51: "3 4": expected a weight behind the two ids; use ` + skipHint},
		{text("g.csv", good+",3\n"), ReadOptions{}, `g.csv:51: ",3": expected something before the comma; use ` + skipHint},
		{text("g.csv", good+"3,,4\n"), ReadOptions{}, `g.csv:51: "3,,4": expected something before the comma; use ` + skipHint},
		{text("g.csv", good+"3,4,\n"), ReadOptions{}, `g.csv:51: "3,4,": expected something behind the last comma; where cells may be empty, use --delimiter , and take columns without such cells, as --columns 1,2 does, or ` + skipHint},
		{text("g.txt", "a,b,\nc,d,2\n"), ReadOptions{}, `g.txt:1: "a,b,": expected something behind the last comma; where cells may be empty, use --delimiter , and take columns without such cells, as --columns 1,2 does, or ` + skipHint},
		{text("g.txt", "a,b,\nc,d,2\n"), table(',', HeaderAuto), `g.txt:1: "": expected a number as weight; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", "a,b,\nc,d,2\n"), table(',', HeaderAuto, "1", "2", "3"), `g.txt:1: "": expected a number as weight; name two columns to leave out the weights, or ` + skipHint},
		{text("g.txt", "a,b,N/A\nc,d,2\n"), ReadOptions{}, `g.txt:1: "N/A": expected a number as weight; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", "a,b,\\N\nc,d,2\n"), table(',', HeaderAuto, "1", "2", "3"), `g.txt:1: "\\N": expected a number as weight; name two columns to leave out the weights, or ` + skipHint},
		{text("g.csv", "1 2 0,5\n2 3 1,5\n"), ReadOptions{}, `g.csv:1: "1 2 0,5": expected two ids, or two ids and a weight, and nothing behind them; write weights with points in the places of commas, or ` + numbersFrom},
		{text("g.csv", "1,2\n,3\n"), ReadOptions{}, `g.csv:2: "": expected an integer as source id, for the ids so far were integers; use ` + skipHint},
		{text("g.csv", "1,2,\"1,234\"\n"), ReadOptions{}, `g.csv:1: "1,234": expected a weight, or nothing, behind the two ids; write weights with points in the places of commas where these begin decimals, and without the commas where these separate thousands, or use --weights no to pass over what follows the ids`},
		{text("g.csv", "1,2,3\n1,2,\"1,234,567.5\"\n"), ReadOptions{}, `g.csv:2: "1,234,567.5": expected a number as weight; write weights without the commas where these separate thousands, or use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.tsv", "1\t2\t1,234\n"), ReadOptions{}, `g.tsv:1: "1\t2\t1,234": expected two ids, or two ids and a weight, and nothing behind them; write weights with points in the places of commas where these begin decimals, and without the commas where these separate thousands, or ` + numbersFrom},
		{text("g.txt", "1;2;2\n2;3;2,5\n"), table(';', HeaderAuto), `g.txt:2: "2,5": expected a number as weight; write weights with points in the places of commas, or use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", "from;to;w\na;b;1,5\nb;c;2,5\n"), table(';', HeaderAuto), `g.txt:2: "1,5": expected a weight, or nothing, behind the two ids; write weights with points in the places of commas, or use --weights no to pass over what follows the ids`},
		{text("g.txt", "a b 0x1p-150\nc d 2\n"), ReadOptions{}, `g.txt:1: "0x1p-150": expected a number as weight; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", "a,b,1_0\nc,d,2\n"), table(',', HeaderAuto, "1", "2", "3"), `g.txt:1: "1_0": expected a number as weight; name two columns to leave out the weights, or ` + skipHint},
		{text("g.txt", "0x1,0x2\n1,3\n"), ReadOptions{}, `g.txt:1: "0x1,0x2": expected integers as ids, as those behind it are; write it so, or use --header if it names the columns, or --ids string to take all ids as text`},
		{text("g.txt", "a,b\nNew York,Paris\n"), ReadOptions{}, `g.txt:2: "New York,Paris": expected names with spaces, tabs or commas between them, not several of these; use --delimiter , where commas alone separate the fields, or ` + skipHint},
		{text("g.txt", "a,b\nNew York,Paris\n"), ReadOptions{Weights: WeightsNo}, `g.txt:2: "New York,Paris": expected names with spaces, tabs or commas between them, not several of these; use --delimiter , where commas alone separate the fields, or ` + skipHint},
		{text("g.txt", "New York,Paris,3\nParis,Rome,2\n"), ReadOptions{}, `g.txt:1: "New York,Paris,3": expected names with spaces, tabs or commas between them, not several of these; use --delimiter , where commas alone separate the fields, or ` + skipHint},
		{text("g.txt", "Paris,New York,3\nParis,Rome,2\n"), ReadOptions{}, `g.txt:1: "Paris,New York,3": expected names with spaces, tabs or commas between them, not several of these; use --delimiter , where commas alone separate the fields, or ` + skipHint},
		{text("g.txt", "x y\nNew York , Paris\n"), ReadOptions{Weights: WeightsNo}, `g.txt:2: "New York , Paris": expected names with spaces, tabs or commas between them, not several of these; use --delimiter , where commas alone separate the fields, or ` + skipHint},
		{text("g.txt", "a,b,1\nParis,New York,2\n"), ReadOptions{Weights: WeightsNo}, `g.txt:2: "Paris,New York,2": expected names with spaces, tabs or commas between them, not several of these; use --delimiter , where commas alone separate the fields, or ` + skipHint},
		{text("g.txt", "New York,Paris\nParis,Rome\n"), table(0, HeaderNo, "1", "2"), `g.txt:1: "New York,Paris": expected names with spaces, tabs or commas between them, not several of these; use --delimiter , where commas alone separate the fields, or ` + skipHint},
		{text("g.txt", strings.Repeat("1,x,2\n", 50)+"1,Route 66,2\n"), table(0, HeaderNo, "1", "3"), `g.txt:51: "1,Route 66,2": expected columns with spaces, tabs or commas between them, not several of these; use --delimiter , where commas alone separate the fields, or ` + skipHint},
		{text("g.txt", "1\tx\t2\n1\tRoute 66\t2\n"), table(0, HeaderNo, "1", "3"), `g.txt:2: "1\tRoute 66\t2": expected columns with spaces, tabs or commas between them, not several of these; use --delimiter tab where tabs alone separate the fields, or ` + skipHint},
		{text("g.txt", "x\ty\nNew York\tParis\n"), ReadOptions{Weights: WeightsNo}, `g.txt:2: "New York\tParis": expected names with spaces, tabs or commas between them, not several of these; use --delimiter tab where tabs alone separate the fields, or ` + skipHint},
		{text("g.txt", "x\ty\nParis\tNew York\n"), ReadOptions{Weights: WeightsNo}, `g.txt:2: "Paris\tNew York": expected names with spaces, tabs or commas between them, not several of these; use --delimiter tab where tabs alone separate the fields, or ` + skipHint},
		{text("g.txt", "New York\t3\nParis\t4\n"), ReadOptions{}, `g.txt:1: "New York\t3": expected names with spaces, tabs or commas between them, not several of these; use --delimiter tab where tabs alone separate the fields`},
		{text("g.txt", "Source ID,Target ID,Cost\n1,2,7\n"), ReadOptions{}, `g.txt:1: "Source ID,Target ID,Cost": expected columns with spaces, tabs or commas between them, not several of these; use --delimiter , where commas alone separate the fields`},
		{text("g.txt", "Source ID,Target ID,Cost\n1,2,7\n"), table(0, HeaderAuto, "source", "target"), `g.txt:1: "Source ID,Target ID,Cost": expected columns with spaces, tabs or commas between them, not several of these; use --delimiter , where commas alone separate the fields`},
		{text("g.txt", "Node A,Node B\n1,2,3,4\n"), ReadOptions{}, `g.txt:2: "1,2,3,4": expected two ids, or two ids and a weight, and nothing behind them; use --delimiter , where commas alone separate the fields`},
		{text("g.csv", "name;city, state\nAnna;New York, NY\n"), ReadOptions{}, `g.csv:1: "name;city, state": ` + semicolons + orCommas},
		{text("g.csv", "payer,payee,amount,when\nAnna Bell,Carl Dow,12.5,2024\n"), ReadOptions{}, `g.csv:2: "Anna Bell,Carl Dow,12.5,2024": expected two ids, or two ids and a weight, and nothing behind them; use --columns payer,payee,amount, or --weights no to pass over what follows the ids`},
		{text("g.txt", "payer,payee,city\nAnna,Carl,Rome\n"), ReadOptions{}, `g.txt:1: "city": expected a weight, or nothing, behind the two ids; if it names the columns, use --columns payer,payee to take these two, with a third one for weights; if it is an edge, --no-header and --columns SRC,DST[,WEIGHT], by their numbers from 1`},
		{text("g.txt", "who,who,city\nAnna,Carl,Rome\n"), ReadOptions{}, `g.txt:1: "city": expected a weight, or nothing, behind the two ids; if it names the columns, use --header and --columns SRC,DST[,WEIGHT], by their numbers from 1, to choose among "who", "who", "city"; if it is an edge, --no-header and --columns SRC,DST[,WEIGHT], by their numbers from 1`},
		{text("g.csv", "id,Source ID,Target ID\n7,a b,c\n"), ReadOptions{}, `g.csv:1: "id,Source ID,Target ID": expected source and destination as the first columns; use --columns 'Source ID,Target ID'`},
		{text("g.csv", "a,b,\nc,d,\n"), ReadOptions{Table: TableOptions{Delimiter: ','}}, `g.csv:1: "a,b,": expected a weight, or nothing, behind the two ids, no empty cell; if it names the columns, use --header and --columns SRC,DST[,WEIGHT], by their numbers from 1, to choose among "a", "b", ""; if it is an edge, --no-header and --columns SRC,DST[,WEIGHT], by their numbers from 1`},
		{text("g.csv", good+"\"3,4\n"), ReadOptions{}, `g.csv:51: "\"3,4": expected ` + openQuote + joinHint("g.csv", `[, \t]`)},
		{text("g.csv", "payer,payee,remark\nAnn,Bob,\"two\nlines, see x\"\n"), table(0, HeaderAuto, "payer", "payee"), `g.csv:2: "Ann,Bob,\"two": expected ` + openQuote + joinHint("g.csv", `\x2c`)},
		{text("g.csv", "1,2,a\n2,3,\"two\n3,4\"\n"), ReadOptions{Weights: WeightsNo}, `g.csv:2: "2,3,\"two": expected ` + openQuote + joinHint("g.csv", `\x2c`)},
		{text("g.tsv", "1\t2\ta\n2\t3\t5\t\"two\n3\t4\"\n"), table(0, HeaderNo, "1", "2"), `g.tsv:2: "2\t3\t5\t\"two": expected ` + openQuote + joinHint("g.tsv", `\x09`)},
		{text("g.txt", "1,2,a\n2,3, \"two\n3,4\"\n"), ReadOptions{Weights: WeightsNo}, `g.txt:2: "2,3, \"two": expected ` + openQuote + joinHint("g.txt", `[, \t]`)},
		{text("g.txt", "1;2;a\n2;3;5;\"a\"\"\n3,4\"\n"), table(';', HeaderNo, "1", "2", "3"), `g.txt:1: "a": expected a number as weight; name two columns to leave out the weights`},
		{text("g.txt", "1;2;4\n2;3;5;\"a\"\"\n3;4\"\n"), table(';', HeaderNo, "1", "2", "3"), `g.txt:2: "2;3;5;\"a\"\"": expected ` + openQuote + joinHint("g.txt", `\x3b`)},
		{text("g.csv", "source,target,\"the\nnote\"\na,b,c\n"), table(0, HeaderAuto, "source", "target"), `g.csv:1: "source,target,\"the": expected ` + openQuote + joinHint("g.csv", `\x2c`)},
		{text("g.csv", "source,target,\"the\nnote\"\na,b,c\n"), table(0, HeaderYes, "1", "2"), `g.csv:1: "source,target,\"the": expected ` + openQuote + joinHint("g.csv", `\x2c`)},
		{text("g.csv", "source,target,weight\na,b,1\n\"b\nc\",d,2\n"), ReadOptions{SkipBadLines: true}, `g.csv:3: "\"b": expected ` + openQuote + joinHint("g.csv", `\x2c`)},
		{text("g.csv", "a,b,1\nb,c,2,\"x\nd,e,3\"\n"), ReadOptions{SkipBadLines: true}, `g.csv:2: "b,c,2,\"x": expected ` + openQuote + joinHint("g.csv", `\x2c`)},
		{text("g.csv", good+"\"3\"4 5\n"), ReadOptions{}, `g.csv:51: "\"3\"4 5": expected a separator behind the closing quote; use ` + skipHint},
		{text("g.csv", "ann,bob,likes\neve,ann,hates\n"), ReadOptions{}, `g.csv:1: "likes": expected a weight, or nothing, behind the two ids; ` + around},
		{text("g.csv", "id,source,target\n1,2,3\n"), ReadOptions{}, `g.csv:1: "id,source,target": expected source and destination as the first columns; use --columns source,target`},
		{text("g.csv", "from,to,amount\na,b,\"1.000,50\"\n"), ReadOptions{}, `g.csv:2: "1.000,50": expected a weight, or nothing, behind the two ids; write weights as plain numbers, such as 1234.5, or use --weights no to pass over what follows the ids`},
		{text("g.csv", "from,to,amount\na,b,€5\n"), table(0, HeaderAuto, "from", "to", "amount"), `g.csv:2: "€5": expected a number as weight; write weights as plain numbers, such as 1234.5, or name two columns to leave out the weights`},
		{text("g.csv", "from,to,amount\na,b,5.5.2024\n"), table(0, HeaderAuto, "from", "to", "amount"), `g.csv:2: "5.5.2024": expected a number as weight; name two columns to leave out the weights`},
		{text("g.csv", ":START_ID(Account),:END_ID(Account),amount:float,:TYPE\n1,2,5,PAID\n"), ReadOptions{}, `g.csv:2: "1,2,5,PAID": expected two ids, or two ids and a weight, and nothing behind them; use --columns ':START_ID(Account),:END_ID(Account),amount:float', or --weights no to pass over what follows the ids`},
		{text("g.csv", "tx,day,payer,payee,currency,amount\n1,2026-03-12,Ann,Bob,CHF,5\n"), ReadOptions{}, `g.csv:1: "tx,day,payer,payee,currency,amount": expected source and destination as the first columns; use --columns payer,payee,amount`},
		{text("g.csv", ",payer,payee,amount\n0,Ann,Bob,5\n"), ReadOptions{}, `g.csv:1: ",payer,payee,amount": expected source and destination as the first columns; use --columns payer,payee,amount`},
		{text("g.csv", ",p,q,amount\n0,Ann,Bob,5\n"), ReadOptions{}, `g.csv:1: "q": expected a weight, or nothing, behind the two ids; if it names the columns, use --header and --columns SRC,DST[,WEIGHT], by their numbers from 1, to choose among "", "p", "q", "amount"; if it is an edge, --no-header and --columns SRC,DST[,WEIGHT], by their numbers from 1`},
		{text("g.csv", "id,start,end,Caller ID,Callee ID\n1,8,9,2,3\n"), ReadOptions{}, `g.csv:1: "id,start,end,Caller ID,Callee ID": expected source and destination as the first columns; use --columns 'Caller ID,Callee ID'`},
		{text("g.csv", "source,sender,receiver\nweb,a,b\n"), ReadOptions{}, `g.csv:1: "source,sender,receiver": expected source and destination as the first columns; use --columns sender,receiver`},
		{text("g.csv", "Source,Target,Type,Id,Label,Weight\n1,2,\"Undirected\",0,,1.5\n"), ReadOptions{}, `g.csv:2: "Undirected": expected a weight, or nothing, behind the two ids; use --columns Source,Target,Weight, or --weights no to pass over what follows the ids`},
		{text("g.csv", "~id,~from,~to,~label,weight:Double\ne,a,b,knows,0.5\n"), ReadOptions{}, `g.csv:1: "~id,~from,~to,~label,weight:Double": expected source and destination as the first columns; use --columns '~from,~to,weight:Double'`},
		{text("g.csv", "id,from,to,count,weight\ne,a,b,2,0.5\n"), ReadOptions{}, `g.csv:1: "id,from,to,count,weight": expected source and destination as the first columns; use --columns from,to,weight`},
		{text("g.csv", strings.Repeat("c,", 20)+"d\n"+strings.Repeat("1,", 20)+"1\n"), ReadOptions{}, `g.csv:2: "` + strings.Repeat("1,", 20) + `1": expected two ids, or two ids and a weight, and nothing behind them; use --header and --columns SRC,DST[,WEIGHT], by their numbers from 1, to choose among ` + strings.Repeat(`"c", `, 20) + `and 1 more` + firstTwo},
		{text("g.tsv", "a\tlikes\tb\n"), ReadOptions{}, `g.tsv:1: "b": expected a weight, or nothing, behind the two ids; ` + around},
		{text("g.txt", "0 1 0 1\n1 0 1 0\n"), ReadOptions{}, `g.txt:1: "0 1 0 1": expected two ids, or two ids and a weight, and nothing behind them; ` + numbersFrom + `; rows of a matrix are no edges: scipy.io.mmwrite writes one as a file .mtx, which is read`},
		{text("g.csv", "id,source,target,weight\n1,2,3,4\n"), ReadOptions{}, `g.csv:1: "id,source,target,weight": expected source and destination as the first columns; use --columns source,target,weight`},
		{text("g.csv", "Cost,source,target\n1,2,3\n"), ReadOptions{}, `g.csv:1: "Cost,source,target": expected source and destination as the first columns; use --columns source,target,Cost`},
		{text("g.csv", "weight,source,target\n1,2,3\n"), ReadOptions{Weights: WeightsNo}, `g.csv:1: "weight,source,target": expected source and destination as the first columns; use --columns source,target`},
		{text("g.csv", "source,target,since,kind\n1,2,2001,5\n"), ReadOptions{}, `g.csv:2: "1,2,2001,5": expected two ids, or two ids and a weight, and nothing behind them; use --columns source,target to take these two, with a third one for weights, or --weights no to pass over what follows the ids`},
		{text("g.csv", "\"from, old\",\"to\",kind\n1,2,x\n"), ReadOptions{}, `g.csv:2: "x": expected a weight, or nothing, behind the two ids; use --columns SRC,DST[,WEIGHT] to choose among "from, old", "to", "kind"` + firstTwo},
		{text("g.csv", "to,from\nann,bob\n"), ReadOptions{}, `g.csv:1: "to,from": expected source and destination as the first columns; use --columns from,to`},
		{text("g.csv", "a,b,c\n1,2,3\n"), table(0, HeaderAuto, "a", "d"), `g.csv:1: "a, b, c": expected a column "d" in the header; give one of its names, or the column's number`},
		{text("g.csv", "a;b;c\n1;2;3\n"), table(0, HeaderAuto, "a", "b"), `g.csv:1: "a;b;c": expected a column "a" in the header; give one of its names, or the column's number; use --delimiter ';' if that separates the columns`},
		{text("g.csv", "1,2\n3\n"), table(',', HeaderNo, "2", "1"), `g.csv:2: "3": expected at least 2 columns; use ` + skipHint},
		{text("g.csv", "1,2\n3,\n"), table(',', HeaderNo), `g.csv:2: "": expected an integer as target id, for the ids so far were integers; use ` + skipHint},
		{text("g.tsv", "1\t2\t\t4\n"), table('\t', HeaderNo, "1", "2", "3"), `g.tsv:1: "": expected a number as weight; name two columns to leave out the weights`},
		{text("g.csv", "a,\"b\nc\"\n"), table(',', HeaderNo), `g.csv:1: "a,\"b": expected ` + openQuote + joinHint("g.csv", `\x2c`)},
		{text("g.csv", "\"a\"b,c\n"), table(',', HeaderNo), `g.csv:1: "\"a\"b,c": expected a separator behind the closing quote`},
		{text("g.csv", "a,\"\"\n"), ReadOptions{}, `g.csv:1: "": expected an id that is not empty`},
		{text("g.txt", "a "+strings.Repeat("b", 65536)+"\n"), ReadOptions{}, `g.txt:1: "` + strings.Repeat("b", 60) + `…": expected an id of at most 65535 bytes, not of 65536; use ` + skipHint},
		{text("g.txt", strings.Repeat("alice### bob####\n", 70_000)+"a \x00\n"), ReadOptions{}, `g.txt:70001: "\x00": expected an id without zero bytes; use ` + skipHint},

		{text("g.txt", weighted+"3 4 x\n"), ReadOptions{}, `g.txt:51: "x": expected a number as weight; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", weighted+"3 4 0x1p-2\n"), ReadOptions{}, `g.txt:51: "0x1p-2": expected a number as weight; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", weighted+"3 4 -0.5\n"), ReadOptions{}, `g.txt:51: "-0.5": expected a weight that is not negative; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", weighted+"3 4 NaN\n"), ReadOptions{}, `g.txt:51: "NaN": expected a finite weight of at most 3.402823e+38; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", weighted+"3 4 -inf\n"), ReadOptions{}, `g.txt:51: "-inf": expected a finite weight of at most 3.402823e+38; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", "0 1 {'weight': 4}\n"), ReadOptions{Format: Text}, `g.txt:1: "0 1 {'weight': 4}": expected a weight, or nothing, behind the two ids; attributes in braces are what networkx.write_edgelist writes: write weights by networkx.write_weighted_edgelist, or use --weights no to leave the attributes out`},
		{text("g.txt", "0 1 {}\n"), ReadOptions{Format: Text}, `g.txt:1: "0 1 {}": expected a weight, or nothing, behind the two ids; attributes in braces are what networkx.write_edgelist writes: write weights by networkx.write_weighted_edgelist, or use --weights no to leave the attributes out`},
		{text("g.txt", weighted+"3 4 1e-50\n"), ReadOptions{}, `g.txt:51: "1e-50": expected a weight of 0, or of at least 1.4e-45; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", weighted+"3 4 1e39\n"), ReadOptions{}, `g.txt:51: "1e39": expected a finite weight of at most 3.402823e+38; use --weights no to pass over what follows the ids, or ` + skipHint},
		{text("g.txt", good+strings.Repeat("x", maxLine)+"\n"), ReadOptions{IDs: IDsInt}, `g.txt:51: "` + strings.Repeat("x", 60) + `…": expected lines of at most 16 MiB; this does not look like an edge list`},

		{text("x.v", "1\n2 3\n"), ReadOptions{}, `x.v:2: "2 3": expected one vertex id and nothing behind it; use ` + skipHint},
		{text("x.v", "1\ny\n"), ReadOptions{IDs: IDsInt}, `x.v:2: "y": expected an integer as vertex id; use --ids string to take ids as text, or ` + skipHint},

		{text("g.mtx", mtx+"% c\n4 1 1\n"), ReadOptions{}, `g.mtx:4: "4": expected a row from 1 to 3`},
		{text("g.mtx", mtx+"1 0 1\n"), ReadOptions{}, `g.mtx:3: "0": expected a column from 1 to 4`},
		{text("g.mtx", mtx+"1 5 1\n"), ReadOptions{IDs: IDsInt}, `g.mtx:3: "5": expected a column from 1 to 4`},
		{text("g.mtx", mtx+"1 x 1\n"), ReadOptions{}, `g.mtx:3: "x": expected an integer as column`},
		{text("g.mtx", mtx+"1 1\n"), ReadOptions{}, `g.mtx:3: "1 1": expected a weight behind the two ids`},
		{text("g.mtx", mtx+"1 1 -1\n"), ReadOptions{}, `g.mtx:3: "-1": expected a weight that is not negative; use --weights no to pass over what follows the ids`},
		{text("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 1\n1 1\n"), ReadOptions{}, `g.mtx:3: "1": expected no row, for the header promises none`},
		{text("g.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n"), ReadOptions{}, `g.mtx:1: "complex": expected pattern or integer or unsigned-integer or real in the banner`},
		{text("g.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 1\n"), ReadOptions{}, `g.mtx:1: "skew-symmetric": expected general or symmetric in the banner`},
		{text("g.mtx", "%%MatrixMarket matrix array real general\n1 1\n"), ReadOptions{}, `g.mtx:1: "array": expected coordinate in the banner; a dense matrix is no edge list`},
		{text("g.mtx", "%%MatrixMarket vector coordinate real general\n1 1\n"), ReadOptions{}, `g.mtx:1: "vector": expected matrix in the banner`},
		{text("g.mtx", "1 2\n"), ReadOptions{}, `g.mtx:1: "1 2": expected a banner "%%MatrixMarket matrix coordinate …"`},
		{text("g.mtx", "%%MatrixMarket matrix coordinate real general\n% c\n"), ReadOptions{}, `g.mtx:3: the end of the file: expected the numbers of rows, columns and entries`},
		{text("g.mtx", "%%MatrixMarket matrix coordinate real general\n3 -4 1\n"), ReadOptions{}, `g.mtx:2: "3 -4 1": expected the numbers of rows, columns and entries`},
		{text("g.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n"), ReadOptions{}, `g.mtx:2: "3 4": expected as many rows as columns in a symmetric matrix`},
		{text("g.mtx", "%%MatrixMarket matrix coordinate real general\n4294967296 4 1\n"), ReadOptions{}, `g.mtx:2: "4294967296": expected at most 4294967295 vertices`},

		{text("g.gr", "p sp 3 1\nc x\na 4 1 1\n"), ReadOptions{}, `g.gr:3: "4": expected a vertex from 1 to 3`},
		{text("g.gr", "p sp 3 1\ne 1 1 1\n"), ReadOptions{}, `g.gr:2: "e 1 1 1": expected an arc "a u v weight", or a comment "c …"`},
		{text("g.gr", "p sp 3 1\na 1 1\n"), ReadOptions{}, `g.gr:2: "a 1 1": expected a weight behind the two ids`},
		{text("g.gr", "p max 3 1\na 1 1 1\n"), ReadOptions{}, `g.gr:1: "p max 3 1": expected a problem line "p sp vertices arcs"`},
		{text("g.gr", "c p\n"), ReadOptions{}, `g.gr:2: the end of the file: expected a problem line "p sp vertices arcs"`},
		{text("g.gr", "p sp 5000000000 1\n"), ReadOptions{}, `g.gr:1: "5000000000": expected at most 4294967295 vertices`},
	} {
		for _, block := range []int{16, 100, 1 << 20} {
			if len(c.file.content) > 1<<16 {
				block = max(block, 1<<14) // or there are too many
			}
			c.o.BlockBytes, c.o.Threads = block, 3
			r := readBytes(t, c.file.name, c.file.content, c.o)
			var e *SyntaxError
			if !errors.As(r.err, &e) || r.err.Error() != c.want {
				t.Errorf("blocks of %d:\n got %v\nwant %s", block, r.err, c.want)
				break
			}
		}
	}
}

// TestRefusedFirstLine: a line that is refused is not said to be an edge.
func TestRefusedFirstLine(t *testing.T) {
	for content, warned := range map[string]bool{
		"New York,Paris\nRome,Oslo\n":                        false,
		"a,b,kind\nRome,Oslo,x\n":                            false,
		"a,b\nRome,Oslo\nRome,\n":                            true,
		"a," + strings.Repeat("b", 5000) + "\nRome,Oslo,x\n": true,
	} {
		r := readBytes(t, "g.txt", []byte(content), ReadOptions{})
		if r.err == nil || warned != strings.Contains(strings.Join(r.warns, "\n"), "was taken for an edge") {
			t.Errorf("%.40q: warned %q, %v", content, r.warns, r.err)
		}
	}
}

// TestInputErrors has every complaint about a whole input, word for word.
func TestInputErrors(t *testing.T) {
	mtx := func(rest string) testFile {
		return text("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n% c\n2 2 2\n"+rest)
	}
	galois := binary.LittleEndian.AppendUint64(nil, 1)
	galois = append(galois, make([]byte, 24)...)
	utf16 := []byte{0xff, 0xfe, '1', 0, ' ', 0, '2', 0}
	for _, c := range []struct {
		o     ReadOptions
		want  string
		files []testFile
	}{
		{ReadOptions{}, `g.txt: looks binary, but would be read as text; name its format with --format (` + formatList() + `)`, []testFile{text("g.txt", "1 2\n\x00\n")}},
		{ReadOptions{Format: EL}, `g.sg: byte 0 is zero, which text in the format el never has; name another format (` + formatList() + `), or remove the zero bytes`, []testFile{{name: "g.sg", content: writeSG(fourEdges, 4, false, false)}}},
		{ReadOptions{}, `g.txt: looks binary, but would be read as text; name its format with --format (` + formatList() + `)`, []testFile{text("g.txt", "\x01 \x02\n\x03 \x04\n\x05 \x06\n")}},
		{ReadOptions{}, `g.txt: is UTF-16 text; turn it into UTF-8: iconv -f UTF-16 -t UTF-8 'g.txt' > edges.txt, and import edges.txt`, []testFile{{name: "g.txt", content: utf16}}},
		{ReadOptions{}, `g.txt: is an HTML page, perhaps the answer to a download that failed, which cannot be read; download the file again, and look at what came; if it is an edge list nevertheless, use --format text`, []testFile{text("g.txt", "<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n")}},
		{ReadOptions{}, `g.html: is an HTML page, perhaps the answer to a download that failed, which cannot be read; download the file again, and look at what came; if it is an edge list nevertheless, use --format text`, []testFile{text("g.html", "<HTML>\n<body>Not found</body></HTML>\n")}},
		{ReadOptions{}, `g.txt: is a pointer of Git LFS, and not the file that it stands for, which cannot be read; fetch that with git lfs pull; if it is an edge list nevertheless, use --format text`, []testFile{text("g.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n")}},
		{ReadOptions{}, `g.mat: is a file of MATLAB, which cannot be read; write its matrix as Matrix Market, as scipy.io.mmwrite does, or mmwrite in MATLAB`, []testFile{{name: "g.mat", content: []byte("MATLAB 5.0 MAT-file, Platform: GLNXA64\x00\x01IM")}}},
		{ReadOptions{}, `g.avro: is an Avro file, which cannot be read; write it as Parquet, Arrow or CSV`, []testFile{{name: "g.avro", content: []byte("Obj\x01\x04\x16avro.schema\x00")}}},
		{ReadOptions{}, `g.orc: is an ORC file, which cannot be read; write it as Parquet, Arrow or CSV`, []testFile{{name: "g.orc", content: []byte("ORC\x08\x03\x00")}}},
		{ReadOptions{}, `g.pkl: is a pickle of Python, which cannot be read; load it in Python, if you trust who wrote it, and write its edges as text, as networkx.write_weighted_edgelist does`, []testFile{{name: "g.pkl", content: []byte("\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00]q\x00.")}}},
		{ReadOptions{}, `g.bz2: the bzip2 stream is truncated: it ends in the middle`, []testFile{text("g.bz2", "BZh91AY&SY\x00\x01")}},
		{ReadOptions{}, `g.xz: is compressed with xz, which cannot be read; unpack it: xz -dk -- 'g.xz'`, []testFile{text("g.xz", "\xfd7zXZ\x00\x00")}},
		{ReadOptions{Format: Text}, `g.txt: is a Parquet file, which is no text; leave out --format, or use --format parquet`, []testFile{text("g.txt", "PAR1\x00")}},
		{ReadOptions{Format: EL}, `g.txt: is an Arrow file, which is no text; leave out --format, or use --format arrow`, []testFile{text("g.txt", "ARROW1\x00\x00")}},
		{ReadOptions{}, `g.gr: is a binary .gr file of Galois, which cannot be read; turn it into text with graph-convert --gr2edgelist of Galois`, []testFile{{name: "g.gr", content: galois}}},

		{ReadOptions{}, `g.mtx:3: the header promises 2 edges, but the file has 1: the file is truncated, or its header wrong`, []testFile{mtx("1 1\n")}},
		{ReadOptions{}, `g.mtx:3: the header promises 2 edges, but the file has 3: the header is wrong, or something was appended to the file`, []testFile{mtx("1 1\n1 2\n2 2\n")}},
		{ReadOptions{}, `g.gr:1: the header promises 7 edges, but the file has 0: the file is truncated, or its header wrong`, []testFile{text("g.gr", "p sp 3 7\n")}},
		{ReadOptions{SkipBadLines: true}, `g.mtx:3: the header promises 2 edges, but the file has 0: the file is truncated, or its header wrong`, []testFile{mtx("x\n")}},
		{ReadOptions{Weights: WeightsYes}, `g.mtx: is a pattern matrix and has no weights; leave out --weights yes`, []testFile{mtx("")}},

		{ReadOptions{}, `g.bin: 9 bytes are no whole number of 8-byte edges: the file is truncated, or not in format raw`, []testFile{text("g.bin", "123456789")}},
		{ReadOptions{}, `g.wbin.gz: 16 bytes are no whole number of 12-byte edges: the file is truncated, or not in format raww`, []testFile{{name: "g.wbin.gz", content: gzipped(t, make([]byte, 16))}}},
		{ReadOptions{IDs: IDsDense}, `g.bin: byte 8: "4294967295": expected dense ids up to 4294967294 in edge 1; use --ids int for ids that are not dense`, []testFile{text("g.bin", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff")}},
		{ReadOptions{}, `g.wbin: byte 0: "NaN": expected a finite weight that is not negative in edge 0; use --weights no to pass over the weights`, []testFile{{name: "g.wbin", content: writeRaw([]edgeGiven{{1, 2, float32(math.NaN())}}, true)}}},
		{ReadOptions{}, `g.wbin: byte 12: "-1": expected a finite weight that is not negative in edge 1; use --weights no to pass over the weights`, []testFile{{name: "g.wbin", content: writeRaw([]edgeGiven{{1, 2, 3}, {1, 2, -1}}, true)}}},
		{ReadOptions{IDs: IDsString}, `g.bin: is read as raw integers, which are no strings; leave out --ids string`, []testFile{text("g.bin", "12345678")}},
		{ReadOptions{Weights: WeightsYes}, `g.bin: is read as raw pairs, which have no weights; use --format raww for (u32, u32, f32)`, []testFile{text("g.bin", "12345678")}},
		{ReadOptions{IDs: IDsString}, `g.sg: has vertex numbers, which are no strings; leave out --ids string`, []testFile{{name: "g.sg", content: writeSG(fourEdges, 4, false, false)}}},
		{ReadOptions{Weights: WeightsYes}, `g.sg: is a .sg file, which has no weights; leave out --weights yes, or use --format wsg`, []testFile{{name: "g.sg", content: writeSG(fourEdges, 4, false, false)}}},

		{ReadOptions{}, `a.txt and b.mtx disagree on the format: text in the first, mtx in the second; name the format of all with --format, or import files of one kind`, []testFile{text("a.txt", "1 2\n"), {name: "b.mtx", content: writeMatrixMarket(fourEdges, 4, "pattern")}}},
		{ReadOptions{}, `b.txt and c.txt disagree on the kind of ids: integers in the first, text in the second; use --ids string to take the ids of both as text`, []testFile{text("a.txt", "#\n"), text("b.txt", "1 2\n"), text("c.txt", "1 x\n")}},
		{ReadOptions{}, `a.txt and c.txt disagree on the weights: weights in the first, none in the second; use --weights no to pass over weights`, []testFile{text("a.txt", "1 2 3\n"), text("b.txt", ""), text("c.txt", "1 2\n")}},
		{ReadOptions{}, `a.csv and c.csv disagree on the order of columns: buyer,seller,amount in the first, Seller,buyer,amount in the second; use --columns buyer,seller,amount to take them by their names`, []testFile{
			text("a.csv", "buyer,seller,amount\nA,B,1\n"), text("b.csv", "Buyer,Seller,sum\nA,B,1\n"), text("c.csv", "Seller,buyer,amount\nA,B,1\n"),
		}},
		{ReadOptions{Weights: WeightsNo}, `a.csv and b.csv disagree on the order of columns: x,y in the first, z,x in the second; use --columns x,y to take them by their names`, []testFile{text("a.csv", "x,y\n1,2\n"), text("b.csv", "z,x\n1,2\n")}},
		{ReadOptions{}, `a.mtx and b.mtx disagree on the symmetry: general in the first, symmetric in the second; import files of one kind`, []testFile{
			text("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"), text("b.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n")}},
	} {
		r := readFiles(t, c.o, c.files...)
		if r.err == nil || r.err.Error() != c.want {
			t.Errorf("\n got %v\nwant %s", r.err, c.want)
		}
		if r.sink.begun > 1 {
			t.Errorf("Begin called %d times", r.sink.begun)
		}
	}
}

// TestForeignFormats: texts that are no edge lists are refused by name, unless a
// format is named; edge lists that look a little like them are read.
func TestForeignFormats(t *testing.T) {
	for _, c := range []struct{ content, what string }{
		{"<?xml version=\"1.0\"?>\n<gexf>\n", "is XML"},
		{"\ufeff<gexf version=\"1.3\">\n", "is XML"},
		{"# nodes\n\n{\"nodes\": [],\n", "is JSON"},
		{"[[1, 2], [2, 3]]\n", "is JSON"},
		{"graph {\n a -- b\n}\n", "is a DOT file"},
		{"strict digraph \"my graph\"\n{\n a -> b\n}\n", "is a DOT file"},
		{"digraph G{\n", "is a DOT file"},
		{"graph g { a -- b }\n", "is a DOT file"},
		{"graph [\n node [\n", "is a GML file"},
		{"Creator \"x\"\nVersion 1\ngraph\n[\n", "is a GML file"},
		{"*Vertices 3\n1 \"a\"\n", "is a Pajek file"},
		{"*vertices 3\r\n", "is a Pajek file"},
		{"1 -> 2\n2 -> 3\n", "has -> between ids, which cannot be read; use --columns 1,3"},
		{"a->b\nb->c\n", "has -> between ids, which cannot be read; write its edges as lines of two ids: sed"},
		{"1: 2 3\n2: 3\n3:\n", "is a list of neighbours"},
		{"1:\n2: 1\n", "is a list of neighbours"},
		{"a: b\n", "is a list of neighbours"},
		{"#k.py\n# GMT Thu Nov 26 13:05:14 2026\n# \n0 1 2\n1 2 0\n2 0 1\n", "is a list of neighbours of NetworkX, a line"},
		{"#k.py\n# GMT Thu Nov 26 13:05:14 2026\n# \n0 1\n1 2\n2\n", "is a list of neighbours of NetworkX, a line"},
		{"#k.py\n# GMT Thu Nov 26 13:05:14 2026\n# \n0 1\n1 {}\n1 0\n", "is a list of neighbours of NetworkX, of several"},

		{",a,b,c\na,0,1,0\nb,0,0,2\nc,1,0,0\n", "is a matrix with a label for each row and column"},
		{",0,1,2,3\n0,0,1,0,0\n1,,,,1\n2,0,0,0,0\n3,0,0,0,0\n", "is a matrix with a label for each row and column"},

		{"<http://a.org/x> <http://a.org/y>\n", ""},
		{"graph theory\ntheory sets\n", ""},
		{"digraph graph\n", ""},
		{"# links\n# Thu Nov 26\n0 1\n", ""},
		{"a->b c\n", ""},
		{"fe80:: fe80::1\n", ""},
		{"note: this\nthis that\n", ""},
		{"10.0.0.1:80 10.0.0.2:80\n", ""},
	} {
		for _, o := range []ReadOptions{{}, {Format: Text, SkipBadLines: true}} {
			want := c.what
			if o.Format == Text {
				want = ""
			}
			r := readFiles(t, o, text("g.txt", c.content))
			switch {
			case want == "" && r.err != nil:
				t.Errorf("%q: %v", c.content, r.err)
			case want != "" && (r.err == nil || !strings.HasPrefix(r.err.Error(), "g.txt: "+want) || !strings.HasSuffix(r.err.Error(), "use --format text")):
				t.Errorf("%q:\n got %v\nwant g.txt: %s …", c.content, r.err, want)
			}
		}
	}
	if r := readFiles(t, table(0, HeaderAuto, "1", "3"), text("g.txt", "1 -> 2\n2 -> 3\n")); r.err != nil {
		t.Errorf("with --columns: %v", r.err)
	}
}

// TestNoMatrix: other tables whose first cell is empty are no matrices, and a long one is.
func TestNoMatrix(t *testing.T) {
	for _, content := range []string{
		",source,target\n0,a,b\n1,b,c\n", ",0,1\n0,5,7\n1,1,2\n", ",0,1\n0,5,7\n1,1,2\n2,3,4\n", ",a,b\na,0,1\n", ",a,b\na,x,y\nb,x,y\n", ",a\na,0\n", ",a,b\na,0,1\nb,0\n", ",",
	} {
		if r := readBytes(t, "g.csv", []byte(content), ReadOptions{}); r.err == nil || strings.Contains(r.err.Error(), "is a matrix") {
			t.Errorf("%q: %v", content, r.err)
		}
	}
	const n = 1200 // more than is looked at
	head, rows := "", ""
	for i := range n {
		head += fmt.Sprint(";v", i)
		rows += fmt.Sprintf("v%d%s\n", i, strings.Repeat(";0", n))
	}
	if r := readBytes(t, "g.csv", []byte(head+"\n"+rows), ReadOptions{}); r.err == nil || !strings.Contains(r.err.Error(), "is a matrix") || !strings.Contains(r.err.Error(), `delimiter=";"`) {
		t.Errorf("long: %v", r.err)
	}
}

// TestOpenErrors has what can be wrong with the names.
func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	locked := dir + "/locked"
	if err := os.WriteFile(locked, nil, 0); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for _, c := range []struct {
		names []string
		o     ReadOptions
		want  string
	}{
		{nil, ReadOptions{}, "no input: name at least one file, or - for standard input"},
		{[]string{empty}, ReadOptions{}, empty + ": is a folder without a file of edges; those whose names begin with a dot or an underline do not count"},
		{[]string{dir + "/none"}, ReadOptions{}, dir + "/none: there is no such file; check the path"},
		{[]string{locked + "/x"}, ReadOptions{}, locked + "/x: cannot be opened: not a directory"},
		{[]string{"-"}, ReadOptions{}, "standard input: is not available"},
		{[]string{"-", locked}, ReadOptions{Stdin: strings.NewReader("")}, "standard input: cannot be read together with files; name it alone"},
		{[]string{locked}, ReadOptions{Format: "xls"}, `unknown format "xls": expected auto, ` + formatList() + ``},
		{[]string{locked}, ReadOptions{IDs: "x"}, `unknown way to take ids "x": expected auto, dense, int or string`},
		{[]string{locked}, table('"', ""), `delimiter '"': expected a character of ASCII that is no quote, line end or control`},
		{[]string{locked}, table('7', ""), `delimiter '7': expected a character that is no digit`},
		{[]string{locked}, table(0, "maybe"), `unknown way to take a header "maybe": expected yes, no or nothing`},
		{[]string{locked}, table(0, "", "1"), `1 columns: expected those of source and destination, and perhaps of the weight`},
		{[]string{locked}, table(0, "", "0", "1"), `column 0: expected a number from 1 to 65536, or a name`},
		{[]string{locked}, table(0, HeaderNo, "1", "to"), `column "to" is a name, but the input has no header: give its number`},
		{[]string{locked}, ReadOptions{Table: TableOptions{Columns: []string{"1", "2"}}, Weights: WeightsYes}, `columns 1, 2 have no weight, but weights are required: name the column of the weight as the third`},
		{[]string{locked}, ReadOptions{Table: TableOptions{Columns: []string{"1", "2", "3"}}, Weights: WeightsNo}, `columns 1, 2, 3 have a weight, but weights are to be passed over: name the first two alone`},
		{[]string{locked}, ReadOptions{Table: TableOptions{Delimiter: ','}, Format: SG}, `the input: is in format sg, which has no delimiter, header or columns to choose; leave these options out, or use --format text if it is text`},
		{[]string{locked}, ReadOptions{Weights: "x"}, `unknown way to take weights "x": expected auto, yes or no`},
	} {
		r := readNames(t, c.o, c.names)
		if r.err == nil || r.err.Error() != c.want {
			t.Errorf("\n got %v\nwant %s", r.err, c.want)
		}
	}
	if os.Getuid() != 0 {
		if r := readNames(t, ReadOptions{}, []string{locked}); r.err == nil || r.err.Error() != locked+": cannot be opened: permission denied" {
			t.Errorf("got %v", r.err)
		}
	}
}

// TestSGErrors spoils a serialized graph byte by byte of its meaning.
func TestSGErrors(t *testing.T) {
	spoil := func(at int, value uint64) []byte {
		b := writeSG(fourEdges, 4, true, true)
		if at == 0 {
			b[0] = byte(value)
		} else {
			binary.LittleEndian.PutUint64(b[at:], value)
		}
		return b
	}
	good := writeSG(fourEdges, 4, true, true)
	minus := func(x int64) uint64 { return uint64(x) }
	offsets, neighbours := 17, 17+8*5
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{good[:16], `g.wsg: is truncated: it ends within its header of 17 bytes`},
		{good[:17], `g.wsg: has 17 bytes, but with 4 vertices and 5 edges it would have 177: it is truncated, or not in format wsg`},
		{good[:176], `g.wsg: has 176 bytes, but with 4 vertices and 5 edges it would have 177: it is truncated, or not in format wsg`},
		{append(good[:177:177], 0), `g.wsg: has 178 bytes, but with 4 vertices and 5 edges it would have 177: it is truncated, or not in format wsg`},
		{spoil(0, 2), `g.wsg: byte 0: "2": expected 0 for undirected or 1 for directed; is it a file of the GAP Benchmark Suite with 32-bit vertices?`},
		{spoil(1, minus(-1)), `g.wsg: byte 1: "-1": expected a number of edges; is it a file of the GAP Benchmark Suite with 32-bit vertices?`},
		{spoil(9, 1<<40), `g.wsg: byte 9: "1099511627776": expected a number of vertices up to 2147483648; is it a file of the GAP Benchmark Suite with 32-bit vertices?`},
		{spoil(offsets, 1), `g.wsg: byte 17: "1": expected 0 as the first offset`},
		{spoil(offsets+8, 6), `g.wsg: byte 25: "6": expected an offset from 0 to 5 for vertex 1`},
		{spoil(offsets+16, 1), `g.wsg: byte 33: "1": expected an offset from 2 to 5 for vertex 2`},
		{spoil(offsets+24, minus(-1)), `g.wsg: byte 41: "-1": expected an offset from 3 to 5 for vertex 3`},
		{spoil(offsets+32, 5-0), ``},
		{spoil(neighbours+8, 1<<32|4), `g.wsg: byte 65: "4": expected a neighbour of vertex 0 from 0 to 3`},
		{spoil(neighbours+16, 1<<32|1<<31), `g.wsg: byte 73: "-2147483648": expected a neighbour of vertex 1 from 0 to 3`},
		{spoil(neighbours+32, 1<<63|2), `g.wsg: byte 93: "-2147483648": expected a weight of edge 2 → 2 that is not negative; use --weights no to pass over what follows the ids`},
	} {
		for _, block := range []int{16, 1 << 20} {
			r := readFiles(t, ReadOptions{BlockBytes: block}, testFile{name: "g.wsg", content: c.b})
			if got := fmt.Sprint(r.err); got != c.want && !(c.want == "" && r.err == nil) {
				t.Errorf("\n got %v\nwant %s", r.err, c.want)
			}
		}
	}
}

// TestSGLies returns headers that promise what does not come, in a stream whose
// size is not known when the header is read: no memory is taken on their word.
func TestSGLies(t *testing.T) {
	const n = 200_000 // the offsets alone are more than what is read beforehand
	good := writeSG(fourEdges, n, false, true)
	half := 17 + 8*(n+1) + 4*5
	spoil := func(at int, value uint64) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint64(b[at:], value)
		return b
	}
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{good, ``},
		{spoil(9, 1<<31)[:half-20], `g.sg.gz: is truncated: it ends before the 34359738441 bytes that its header promises`},
		{spoil(1, 1<<40), `g.sg.gz: byte 1600017: "5": expected the number of edges, 1099511627776, as the last offset`},
		{good[:half-1], `g.sg.gz: is truncated: it ends before the 3200073 bytes that its header promises`},
		{good[:half], `g.sg.gz: is truncated: it ends before the 3200073 bytes that its header promises`},
		{good[:len(good)-1], `g.sg.gz: is truncated: it ends before the 3200073 bytes that its header promises`},
		{append(bytes.Clone(good), 0), `g.sg.gz: goes on behind the 3200073 bytes that its header promises`},
		{spoil(9, n-1), `g.sg.gz: goes on behind the 3200057 bytes that its header promises`},
	} {
		r := streamOf(t, "g.sg.gz", gzipped(t, c.b))
		if got := fmt.Sprint(r.err); got != c.want && !(c.want == "" && r.err == nil) {
			t.Errorf("\n got %v\nwant %s", r.err, c.want)
		}
	}
}

// TestFirstErrorInOrder has bad lines all over several files: the first one is
// reported, whatever the goroutines do.
func TestFirstErrorInOrder(t *testing.T) {
	var a, b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&a, "%d 1\n", i)
		switch {
		case i == 0 || i > 1700 && i%7 == 0:
			fmt.Fprintf(&b, "# comment\nbad%d 1\n", i)
		default:
			fmt.Fprintf(&b, "%d -1\n", i)
		}
	}
	files := []testFile{text("a.txt", a.String()), text("b.txt", "# one\n# two\n0 1\n"+strings.Replace(b.String(), "bad0 1", "0 1", 1))}
	line := 1 + strings.Count(strings.Split(string(files[1].content), "bad")[0], "\n")
	want := fmt.Sprintf(`b.txt:%d: "bad1701": expected an integer as source id; use --ids string to take ids as text, or %s`, line, skipHint)
	for i := range 50 {
		r := readFiles(t, ReadOptions{BlockBytes: 16 + i*5, Threads: 1 + i%8, IDs: IDsInt}, files...)
		if r.err == nil || r.err.Error() != want {
			t.Fatalf("\n got %v\nwant %s", r.err, want)
		}
	}
}
