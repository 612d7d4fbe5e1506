#!/usr/bin/env python3
"""gagar beside delta, difftastic, tuicr and lumen on the same patches, from outside.

  benches/peers.py [--gagar target/release/gagar] [--peers DIR] [--runs 5] [--inputs small,big,minjs] [--markdown]

Inputs are made by tests/diff-cases/perf-workload/gen.py. Interactive programs run in a pseudo-terminal
of 200x60, terminal queries are answered; printing programs write into a file. Every figure is a median of
--runs runs. Peers are looked for in DIR and on PATH; one that is missing is left out and named. They are
installed for this bench only: cargo install --root DIR git-delta difftastic tuicr lumen

open      process start to the first output that holds code of the patch (any identifier of its first hunks)
settled   process start to the last output before half a second of silence: colours are there
key       worst of the medians over `j`, a half page and the next file, key to the last byte of the answer
p99       99th percentile over all those keys (gagar only with --keys N, else the worst)
idle      bytes written in 5 seconds without a key, and CPU used meanwhile
peak      peak resident memory
"""
import argparse, fcntl, json, os, pty, re, select, shutil, signal, statistics, struct, subprocess, sys, tempfile
import termios, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS, COLS = 60, 200


def answer(fd, data):
    """Answers what a dark xterm would answer."""
    for ask, reply in (
        (b"\x1b]11;?", b"\x1b]11;rgb:1111/1111/1111\x1b\\"),
        (b"\x1b]10;?", b"\x1b]10;rgb:eeee/eeee/eeee\x1b\\"),
        (b"\x1b[6n", b"\x1b[1;1R"),
        (b"\x1b[?u", b"\x1b[?0u"),
        (b"\x1b[?996n", b"\x1b[?997;1n"),
    ):
        if ask in data:
            os.write(fd, reply)
    if re.search(rb"\x1b\[0?c", data):
        os.write(fd, b"\x1b[?62;22c")


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, command, folder):
        self.start = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", HOME=folder, GIT_PAGER="cat")
            os.execvp(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLS, 0, 0))
        self.seen = b""

    def read(self, quiet, limit, marker=None):
        """Reads until `quiet` seconds of silence; answers (time of the marker, time of the last byte, bytes)."""
        begin, last, found, count = time.perf_counter(), None, None, 0
        while time.perf_counter() - begin < limit:
            # Silence counts from the first answer on.
            ready, _, _ = select.select([self.fd], [], [], quiet if last is not None else limit)
            if not ready:
                break
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:
                break
            if not data:
                break
            answer(self.fd, data)
            last, count = time.perf_counter(), count + len(data)
            self.seen = (self.seen + data)[-400_000:]
            if marker and found is None and marker.search(self.seen):
                found = last
        return found, last, count

    def key(self, key):
        begin = time.perf_counter()
        os.write(self.fd, key)
        # A key that changes nothing writes nothing: it is waited for, and left out of the figures.
        _, last, _ = self.read(0.12, 3)
        return (last - begin) * 1e3 if last else None

    def cpu(self):
        fields = open(f"/proc/{self.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def peak(self):
        for line in open(f"/proc/{self.pid}/status"):
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
        return None

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def marker_of(patch):
    """Any identifier of the first hunks of the first files."""
    words, take, files = set(), 0, 0
    for line in open(patch, errors="replace"):
        files += line.startswith("diff --git")
        if files > 4:
            break
        if line.startswith("@@"):
            take = 12
        elif take:
            take -= 1
            words.update(re.findall(r"[A-Za-z]+_[a-z]+|[a-z]+[A-Z][a-z]+[A-Za-z]*", line[:400]))
    if not words:
        words.update(re.findall(r"\b[a-z]{8,}\b", open(patch, errors="replace").read(4000)))
    words = sorted(words, key=len, reverse=True)[:300]
    return re.compile(b"|".join(re.escape(w.encode()) for w in words))


def interactive(command, folder, marker, keys, runs, idle=False, limit=90):
    """Figures of one interactive program."""
    opened, settled, peak, answers, still = [], [], [], {}, None
    for _ in range(runs):
        terminal = Terminal(command, folder)
        found, last, _ = terminal.read(0.5, limit, marker)
        if found is None:
            peak.append(terminal.peak() or 0)
            terminal.close()
            return {"open": f"> {limit} s", "peak": max(peak)}
        opened.append((found - terminal.start) * 1e3)
        settled.append((last - terminal.start) * 1e3)
        for name, (key, times) in keys.items():
            for _ in range(times):
                took = terminal.key(key)
                if took is not None:
                    answers.setdefault(name, []).append(took)
        if idle and still is None:
            before = terminal.cpu()
            _, _, count = terminal.read(5, 5)
            still = (count, terminal.cpu() - before)
        peak.append(terminal.peak() or 0)
        terminal.close()
    every = sorted(took for all in answers.values() for took in all)
    return {
        "open": statistics.median(opened),
        "settled": statistics.median(settled),
        "keys": {name: [statistics.median(all), max(all)] for name, all in answers.items()},
        "p99": every[min(len(every) - 1, len(every) * 99 // 100)] if every else None,
        "idle": still,
        "peak": statistics.median(peak),
    }


def printing(command, stdin, runs, limit=90):
    """Wall time and peak memory of a program that prints."""
    times, peaks = [], []
    for _ in range(runs):
        begin = time.perf_counter()
        with open(stdin, "rb") if stdin else open(os.devnull, "rb") as source, tempfile.TemporaryFile() as sink:
            child = subprocess.Popen(command, stdin=source, stdout=sink, stderr=subprocess.DEVNULL)
            while True:
                pid, _, usage = os.wait4(child.pid, os.WNOHANG)
                if pid:
                    break
                if time.perf_counter() - begin > limit:
                    child.kill()
                    os.wait4(child.pid, 0)
                    return {"open": f"> {limit} s"}
                time.sleep(0.0005)
        times.append((time.perf_counter() - begin) * 1e3)
        peaks.append(usage.ru_maxrss / 1024)
    return {"open": statistics.median(times), "peak": statistics.median(peaks)}


def repository(folder, old, new):
    """A git repository whose last commit is `old` and whose work tree is `new`."""
    shutil.copytree(old, folder, dirs_exist_ok=True)
    run = lambda *args: subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True)
    run("init", "-q")
    run("add", "-A")
    run("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "old")
    for entry in os.listdir(folder):
        if entry != ".git":
            path = os.path.join(folder, entry)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    shutil.copytree(new, folder, dirs_exist_ok=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--gagar", default=os.path.join(ROOT, "target/release/gagar"))
    options.add_argument("--peers", default="")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--keys", type=int, default=8)
    options.add_argument("--inputs", default="small,big,minjs")
    options.add_argument("--only", default="gagar,gagar diff,tuicr,lumen,delta,difft")
    options.add_argument("--work", help="folder for the inputs (kept)")
    options.add_argument("--patch", action="append", default=[], help="another patch, for gagar alone")
    options.add_argument("--markdown", action="store_true")
    chosen = options.parse_args()
    work = chosen.work or tempfile.mkdtemp(prefix="gagar-peers-")
    if not os.path.exists(os.path.join(work, "big.patch")):
        generator = os.path.join(ROOT, "tests/diff-cases/perf-workload/gen.py")
        subprocess.run([sys.executable, generator, work], check=True, stdout=subprocess.DEVNULL)
    path = os.pathsep.join(filter(None, [chosen.peers, os.environ.get("PATH", "")]))
    programs = {"gagar": os.path.abspath(chosen.gagar)}
    programs["gagar diff"] = programs["gagar"]
    programs |= {name: shutil.which(name, path=path) for name in ("tuicr", "lumen", "delta", "difft")}
    rows, n, told = [], chosen.keys, 0
    half = {"j": (b"j", n), "half page": (b"\x04", n)}
    names = [name for name in chosen.inputs.split(",") if name]
    for name in names + chosen.patch:
        own = name in names
        patch = os.path.join(work, f"{name}.patch") if own else os.path.abspath(name)
        marker = marker_of(patch)
        for program in chosen.only.split(","):
            binary = programs.get(program)
            if not binary or not os.path.exists(binary):
                print(f"left out: {program} is not installed", file=sys.stderr)
                continue
            if not own and not program.startswith("gagar"):
                continue
            with tempfile.TemporaryDirectory() as folder:
                if program in ("tuicr", "lumen"):
                    repository(folder, os.path.join(work, name, "old"), os.path.join(work, name, "new"))
                if program == "gagar":
                    db = os.path.join(folder, "review.db")
                    keys = half | {"next file": (b"}", n), "page": (b"\x06", n), "next hunk": (b"n", n)}
                    command = [binary, patch, "--db", db]
                    found = interactive(command, folder, marker, keys, chosen.runs, idle=True)
                    rows.append((name, "gagar", found))
                elif program == "gagar diff":
                    found = printing([binary, "diff", patch, "--width", "200", "--color", "always"], None, min(chosen.runs, 3))
                    rows.append((name, "gagar diff", found))
                elif program == "tuicr":
                    # Silence means that a key changed nothing: the next file is `}` there too.
                    rows.append((name, program, interactive([binary], folder, marker, half | {"next file": (b"}", n)}, min(chosen.runs, 3))))
                elif program == "lumen":
                    rows.append((name, program, interactive([binary, "diff"], folder, marker, half, min(chosen.runs, 3))))
                elif program == "delta":
                    command = [binary, "-s", "--width", "200", "--paging", "never", "--no-gitconfig"]
                    rows.append((name, "delta -s", printing(command, patch, min(chosen.runs, 3))))
                elif program == "difft":
                    sides = [os.path.join(work, name, side) for side in ("old", "new")]
                    command = [binary, "--width", "200", "--color", "always", *sides]
                    rows.append((name, "difft", printing(command, None, 1 if name == "big" else min(chosen.runs, 3))))
            for row in rows[told:]:
                print(json.dumps(row), file=sys.stderr)
            told = len(rows)
    if not chosen.markdown:
        print(json.dumps(rows, indent=1))
        return
    figure = lambda value, unit: "" if value is None else value if isinstance(value, str) else f"{value:,.{0 if value >= 10 else 1}f} {unit}"
    print("| input | program | first code / printed | colours settled | slowest key (median) | peak memory |\n|---|---|---|---|---|---|")
    for name, program, found in rows:
        medians = [pair[0] for pair in found.get("keys", {}).values()]
        print("| " + " | ".join([os.path.basename(name), program, figure(found.get("open"), "ms"), figure(found.get("settled"), "ms"),
                                 figure(max(medians) if medians else None, "ms"), figure(found.get("peak"), "MB")]) + " |")


main()
