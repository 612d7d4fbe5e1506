"""Runs every candidate of the sample tasks against its hidden tests (see verify.sh).

Needs python3 and git. Tasks in a language that is not installed are skipped, and named.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 120


def run(command, folder):
    """Run `command` in `folder`; return (exit status, stdout and stderr as text)."""
    env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", NO_COLOR="1", GOFLAGS="-mod=mod", GOPROXY="off")
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return 124, "timed out"
    return done.returncode, done.stdout + done.stderr


def python_tests(folder):
    _, log = run([sys.executable, "-m", "unittest", "-v", "tests.test_hidden"], folder)
    found = re.findall(r"^(test_\w+) \(.*?\)(?:\n.*?)? \.\.\. (ok|FAIL|ERROR)", log, re.M)
    return {name: status == "ok" for name, status in found}, log


def rust_tests(folder):
    name = folder_package(folder)
    _, log = run(["rustc", "--edition", "2021", "--crate-type", "rlib", "--crate-name", name, "src/lib.rs"], folder)
    _, more = run(["rustc", "--edition", "2021", "--test", "-L", ".", "--extern", f"{name}=lib{name}.rlib",
                   "tests/hidden.rs", "-o", "hidden-tests"], folder)
    log += more
    if not (folder / "hidden-tests").exists():
        return {}, log
    _, more = run([str(folder / "hidden-tests"), "--test-threads=1"], folder)
    found = re.findall(r"^test (\w+) \.\.\. (ok|FAILED)", more, re.M)
    return {name: status == "ok" for name, status in found}, log + more


def folder_package(folder):
    return re.search(r'name = "(\w+)"', (folder / "Cargo.toml").read_text()).group(1)


def typescript_tests(folder):
    if node_reads_types():
        _, log = run(["node", "--experimental-strip-types", "--no-warnings", "tests/hidden.test.ts"], folder)
    else:
        _, log = run(["esbuild", "tests/hidden.test.ts", "--bundle", "--platform=node", "--log-level=warning",
                      "--outfile=hidden-tests.js"], folder)
        _, more = run(["node", "hidden-tests.js"], folder)
        log += more
    found = re.findall(r"^(ok|not ok) ([\w-]+)", log, re.M)
    return {name: status == "ok" for status, name in found}, log


def node_reads_types():
    return shutil.which("node") and run(["node", "--experimental-strip-types", "-e", "0"], HERE)[0] == 0


def go_tests(folder):
    _, log = run(["go", "test", "-v", "-run", "TestHidden", "./..."], folder)
    found = re.findall(r"^--- (PASS|FAIL): (\w+)", log, re.M)
    return {name: status == "PASS" for status, name in found}, log


def missing(language):
    """Why tests of `language` cannot run here, or None."""
    if language == "rust" and not shutil.which("rustc"):
        return "rustc is not installed"
    if language == "go" and not shutil.which("go"):
        return "go is not installed"
    if language == "typescript" and not node_reads_types():
        if not (shutil.which("esbuild") and shutil.which("node")):
            return "needs a node that reads TypeScript (22.6 or later), or node and esbuild"
    return None


RUNNERS = {"python": python_tests, "rust": rust_tests, "typescript": typescript_tests, "go": go_tests}


def seen(task, language, patch, names):
    """Return {test name: "pass" | "fail"} for `patch` (bytes), and the log."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        shutil.copytree(task / "base", folder, dirs_exist_ok=True)
        if patch.strip():
            (folder / "candidate.patch").write_bytes(patch)
            subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
            status, log = run(["git", "apply", "--whitespace=nowarn", "candidate.patch"], folder)
            (folder / "candidate.patch").unlink()
            if status != 0:
                return {"patch applies": "fail"}, log
        shutil.copytree(task / "hidden", folder, dirs_exist_ok=True)
        results, log = RUNNERS[language](folder)
        return {test: "pass" if results.get(test) else "fail" for test in names}, log.replace(name, "/tmp/run")


def main(arguments):
    record = "--record" in arguments
    different, checked, skipped = 0, 0, 0
    for task in sorted((HERE / "tasks").iterdir()):
        info = json.loads((task / "task.json").read_text(encoding="utf-8"))
        reason = missing(info["language"])
        if reason:
            print(f"skipped {task.name} ({info['language']}): {reason}")
            skipped += 1
            continue
        names = info["fail_to_pass"] + info["pass_to_pass"]
        recorded_file = task / "outcomes.json"
        recorded = {} if record else json.loads(recorded_file.read_text(encoding="utf-8"))
        now = {}
        runs = [("(base)", b"")]
        for candidate in info["candidates"]:
            file = task / "candidates" / f"{candidate['name']}.patch"
            runs.append((candidate["name"], file.read_bytes() if file.exists() else b""))
        for name, patch in runs:
            result, log = seen(task, info["language"], patch, names)
            now[name] = result
            checked += 1
            failing = [test for test, status in result.items() if status == "fail"]
            if "--log" in arguments:
                print(log)
            if not record and recorded.get(name) != result:
                different += 1
                print(f"DIFFERS {task.name}/{name}: recorded {recorded.get(name)}, seen {result}\n{log}")
            else:
                print(f"{'fail' if failing else 'pass'}  {task.name}/{name}" + (f"  ({', '.join(failing)})" if failing else ""))
        if record:
            recorded_file.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    print(f"{checked} runs, {different} differing, {skipped} tasks skipped")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
