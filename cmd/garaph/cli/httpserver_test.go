package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serveTest serves / and /wait, which ends with the server, until close.
func serveTest(t *testing.T) (s *httpServer, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-From", r.RemoteAddr)
		_, _ = fmt.Fprint(w, strings.Repeat("all ", 5000))
	})
	mux.HandleFunc("GET /empty", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /wait", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	return serveHTTP(listener, mux), listener.Addr().String()
}

// TestHTTPServer: answers are what Go's own client reads them as.
func TestHTTPServer(t *testing.T) {
	s, address := serveTest(t)
	defer s.close()
	client := &http.Client{Transport: &http.Transport{}}
	for _, c := range []struct {
		method, path string
		status, size int
	}{
		{"GET", "/", 200, 20000}, {"HEAD", "/", 200, 0}, {"GET", "/empty", 200, 0}, {"GET", "/none", 404, len("404 page not found\n")}, {"POST", "/", 405, len("Method Not Allowed\n")},
	} {
		q, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+address+c.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r, err := client.Do(q)
		if err != nil {
			t.Fatalf("%s %s: %v", c.method, c.path, err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != c.status || len(body) != c.size {
			t.Errorf("%s %s: %d and %d bytes, %v, want %d and %d", c.method, c.path, r.StatusCode, len(body), err, c.status, c.size)
		}
		if c.path == "/" && c.status == 200 && r.Header.Get("X-From") == "" {
			t.Errorf("%s %s: no header", c.method, c.path)
		}
	}
}

// TestHTTPServerRefuses: what is no request, or too long a one.
func TestHTTPServerRefuses(t *testing.T) {
	s, address := serveTest(t)
	defer s.close()
	for _, text := range []string{"nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", headerBytes-40)} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		if err := c.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(c).ReadString('\n')
		c.Close()
		if line != "HTTP/1.1 400 Bad Request\r\n" {
			t.Errorf("%.20q: got %q, %v", text, line, err)
		}
	}
}

// TestHTTPServerClose: closing waits for no client, neither for one that has asked nor
// for one that has not.
func TestHTTPServerClose(t *testing.T) {
	s, address := serveTest(t)
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	asked, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer asked.Close()
	if _, err := io.WriteString(asked, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // both are being answered
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	go func() { defer cancel(); s.close() }()
	<-ctx.Done()
	if ctx.Err() != context.Canceled {
		t.Error("it waits")
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("it still listens")
	}
}
