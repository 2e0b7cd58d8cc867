"""A run of the command: its pipes, its end, and what it says meanwhile."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import selectors
import signal
import subprocess
import threading
from typing import Any, Callable, Dict, Iterable, List, Optional, Set

from . import _binary, _wording
from ._errors import GaraphError, Interrupted, UsageError, warn
from ._progress import Progress, display

log = logging.getLogger("garaph")

# The command's exit codes.
_USAGE, _INTERRUPTED = 2, 130

# Held while pipes of commands are opened, closed or inherited by a fork of Python: it then knows all that are open.
_pipes = threading.RLock()  # a signal's handler may fork, too
_running: Set[Run] = set()

_UNLISTED = re.compile("unknown flag:? --(python-ids)\\b")  # which this package gives, and no list of flags has


def run(arguments: List[str], *, feed: Optional[Iterable[Any]] = None, progress: Progress = None) -> Dict[str, Any]:
    """Run the command with --json and return the object that it prints.

    The chunks of feed go to its standard input, as bytes.
    """
    return json.loads(Run(_binary.find(), arguments, feed, progress).output())


class Run:
    """One process of the command.

    It has a session of its own, so that the Ctrl-C of a terminal reaches Python alone,
    which then asks it to end in order. It holds the other end of a pipe that is open
    here: with the death of Python, whatever kills it, the pipe ends, and so does the job.
    Its progress and its log lines are JSON, the first on a pipe of their own. A fork of
    Python closes what it inherits of these pipes: ends that it held would never come.
    """

    def __init__(self, path: str, arguments: List[str], feed: Optional[Iterable[Any]], progress: Progress) -> None:
        self.path = path
        self.stdout, self.stderr = bytearray(), bytearray()
        self.complaint = ""
        self.said: List[str] = []  # on standard error, and not as JSON
        self.warnings: List[str] = []
        self.fed: Optional[BaseException] = None
        self.show = display(progress)
        with _pipes:
            self._start(arguments, subprocess.DEVNULL if feed is None else subprocess.PIPE)
        self.feeder = None
        if feed is not None:
            self.feeder = threading.Thread(target=self._feed, args=(feed,), name="garaph edges", daemon=True)
            self.feeder.start()

    def _start(self, arguments: List[str], stdin: int) -> None:
        lifeline, self.lifeline = os.pipe()
        self.updates, updates = os.pipe()
        try:
            self.child = subprocess.Popen(
                [self.path, arguments[0], "--log-format=json", "--progress=json", f"--progress-fd={updates}", f"--lifeline-fd={lifeline}", *arguments[1:]],
                stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                bufsize=0, pass_fds=(lifeline, updates), start_new_session=True,
            )  # fmt: skip
        except OSError as err:
            os.close(self.lifeline), os.close(self.updates)
            raise GaraphError(f"{self.path} cannot be run: {err}") from err
        finally:
            os.close(lifeline), os.close(updates)
        _running.add(self)

    def output(self, quiet: bool = False) -> bytes:
        """Wait for the end, and return what the command printed. Its warnings are shown unless quiet."""
        try:
            try:
                self._drain()
            except KeyboardInterrupt:
                self._end()
                raise Interrupted(self._interruption()) from None
            except BaseException:  # of who is shown the progress
                self._end()
                raise
        finally:
            self.show(None)
            self._close()
        for message in [] if quiet else self.warnings:
            warn(self._worded(message))
        if self.fed is not None:
            raise self.fed
        self._check()
        return bytes(self.stdout)

    def _feed(self, feed: Iterable[Any]) -> None:
        pipe = self.child.stdin
        assert pipe is not None
        widen(pipe.fileno())
        try:
            for chunk in feed:
                rest = memoryview(chunk).cast("B")
                while rest:
                    rest = rest[pipe.write(rest) :]
        except BrokenPipeError:
            pass  # the command says why
        except BaseException as err:  # the edges must not end here as if they were all
            self.fed = err
            self.child.send_signal(signal.SIGTERM)
            self.child.wait()
        finally:
            with _pipes, contextlib.suppress(BrokenPipeError):
                pipe.close()

    def _drain(self) -> None:
        """Read what the command says until it says no more, and wait for its end."""
        with selectors.DefaultSelector() as selector:
            lines = bytearray()
            readers: Dict[int, Callable[[bytes], None]] = {
                self.child.stdout.fileno(): self.stdout.extend,
                self.child.stderr.fileno(): lambda data: whole(self.stderr, data, self._log),
                self.updates: lambda data: whole(lines, data, self._update),
            }
            for fd in readers:
                selector.register(fd, selectors.EVENT_READ)
            while selector.get_map():
                if self not in _running:
                    raise GaraphError("this is a fork of the process that waits for the command: it has no results here; end it with os._exit()")
                for key, _ in selector.select():
                    data = os.read(key.fd, 1 << 16)
                    if data:
                        readers[key.fd](data)
                    else:
                        selector.unregister(key.fd)
        self.child.wait()

    def _update(self, line: bytes) -> None:
        self.show(json.loads(line))

    def _log(self, line: bytes) -> None:
        """Take a line of standard error."""
        try:
            entry = json.loads(line)
            level, message = entry.pop("level"), entry.pop("message")
        except (ValueError, AttributeError, KeyError):
            self.said.append(line.decode(errors="replace"))
            return
        entry.pop("time", None)
        if level == "error" and "exit" in entry:
            self.complaint = message
        elif level == "warn":
            self.warnings.append(message)
        else:
            fields = "".join(f" {k}={v}" for k, v in entry.items())
            log.log(logging.DEBUG if level == "debug" else logging.INFO, "%s%s", message, fields)

    def _end(self) -> None:
        """End the job in order; another Ctrl-C kills it."""
        if self not in _running:  # but in a fork
            return
        self.show = lambda update: None
        self.child.send_signal(signal.SIGINT)
        try:
            self._drain()
        except KeyboardInterrupt:
            self.child.kill()
            self.child.wait()

    def _close(self) -> None:
        """Close the pipes; the command is at its end, or ends with them."""
        self._close_pipes()
        self.child.wait()
        if self.feeder is not None:
            self.feeder.join()

    def _close_pipes(self) -> None:
        """Close all pipes but the standard input, which is the feeder's."""
        with _pipes:
            if self in _running:  # and not in a fork, which has closed them
                _running.remove(self)
                os.close(self.lifeline), os.close(self.updates)
                self.child.stdout.close(), self.child.stderr.close()

    def _message(self) -> str:
        """Return what the command said of its failure, in words of Python."""
        return self._worded(self._text())

    def _text(self) -> str:
        """Return what the command said of its failure."""
        text = self.complaint or "\n".join(self.said).strip() or "it did not say why"
        text = re.split(r"\sSee `[^`]* --help`", text)[0]  # behind a space in JSON
        name = os.path.basename(self.path) + ": "
        return text[len(name) :] if text.startswith(name) else text

    def _worded(self, text: str) -> str:
        """Return what the command says, with parameters in place of its flags."""
        return _wording.in_python(text, _wording.specs(self.path)) if "--" in text else text

    def _interruption(self) -> str:
        if self.child.returncode == 0:
            return "the job was done before it could be stopped; its results are lost"
        if self.child.returncode < 0:
            return "the job was killed; a run over a graph goes on from its last checkpoint with resume()"
        message = re.sub("^interrupted: ", "", self._message())
        return re.sub("; `[^`]* resume [^`]*` goes on$", "; resume() of the graph goes on", message)

    def _check(self) -> None:
        code = self.child.returncode
        if code == 0:
            return
        if code < 0:
            name = signal.Signals(-code).name
            hint = ", perhaps for lack of memory: the parameter memory limits it" if code == -signal.SIGKILL else ""
            raise GaraphError(f"garaph was killed by {name}{hint}" + ("\n" + "\n".join(self.said) if self.said else ""))
        if code == _USAGE:
            unknown = _UNLISTED.match(self._text())
            if unknown is not None:
                raise GaraphError(_binary.older(self.path, _binary.programs(self.path), unknown[1]))
            raise UsageError(self._message())
        raise GaraphError(self._message())


def _forked() -> None:
    """Close in a fork what it has inherited of the pipes of commands, which are its parent's."""
    for run in list(_running):
        run._close_pipes()
        if run.child.stdin is not None:
            run.child.stdin.close()
    _pipes.release()


os.register_at_fork(before=_pipes.acquire, after_in_parent=_pipes.release, after_in_child=_forked)


def whole(rest: bytearray, data: bytes, take: Callable[[bytes], None]) -> None:
    """Add data to what is left of the last line, and take what are whole lines now."""
    rest += data
    *lines, last = rest.split(b"\n")
    rest[:] = last
    for line in lines:
        if line:
            take(bytes(line))


def widen(fd: int) -> None:
    """Let a pipe hold a megabyte, where the system allows it."""
    import fcntl

    try:
        fcntl.fcntl(fd, 1031, 1 << 20)  # F_SETPIPE_SZ
    except OSError:
        pass
