package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// httpServer answers one HTTP/1 request for each connection, without keeping it open. That
// of net/http is linked with TLS, which is megabytes that nobody here speaks
// (docs/decisions.md); requests are still read by net/http.
type httpServer struct {
	handler  http.Handler
	listener net.Listener
	ctx      context.Context // of all requests
	cancel   context.CancelFunc
	running  sync.WaitGroup // the goroutine that accepts, and one for each connection
}

const (
	headerTime  = 10 * time.Second // in which a request has to be there
	headerBytes = 64 << 10         // of a request
	acceptPause = 100 * time.Millisecond
)

// serveHTTP begins to answer; close ends it.
func serveHTTP(listener net.Listener, handler http.Handler) *httpServer {
	s := &httpServer{handler: handler, listener: listener}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.running.Go(s.accept)
	return s
}

// close ends the server, what it is just answering, and its goroutines.
func (s *httpServer) close() {
	s.cancel()
	_ = s.listener.Close() // nobody needs it
	s.running.Wait()
}

func (s *httpServer) accept() {
	for s.ctx.Err() == nil {
		c, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as too many open files
			time.Sleep(acceptPause)
		default:
			s.running.Go(func() { s.answer(c) })
		}
	}
}

// answer reads a request and writes its answer.
func (s *httpServer) answer(c net.Conn) {
	defer c.Close()
	defer context.AfterFunc(s.ctx, func() { _ = c.Close() })() // ends reading and writing
	w := &httpResponse{to: bufio.NewWriter(c), header: http.Header{}}
	_ = c.SetReadDeadline(time.Now().Add(headerTime)) // without one, close ends it
	r, err := http.ReadRequest(bufio.NewReader(io.LimitReader(c, headerBytes)))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
	} else {
		w.bodyless = r.Method == http.MethodHead
		r.RemoteAddr = c.RemoteAddr().String()
		s.handler.ServeHTTP(w, r.WithContext(s.ctx))
		w.WriteHeader(http.StatusOK) // if nothing else was written
	}
	_ = w.to.Flush() // a client that has gone does not matter
}

// httpResponse is an answer, which ends with its connection.
type httpResponse struct {
	to       *bufio.Writer
	header   http.Header
	begun    bool
	bodyless bool // the answer to HEAD
}

func (w *httpResponse) Header() http.Header { return w.header }

func (w *httpResponse) WriteHeader(status int) {
	if w.begun {
		return
	}
	w.begun = true
	w.header.Set("Connection", "close")
	// Errors stay in the writer, and end Write.
	_, _ = w.to.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	_ = w.header.Write(w.to)
	_, _ = w.to.WriteString("\r\n")
}

func (w *httpResponse) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.bodyless {
		return len(b), nil
	}
	return w.to.Write(b)
}
