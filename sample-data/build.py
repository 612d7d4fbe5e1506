"""Writes native/ and swebench/ from tasks/: the same rollouts in two file formats.

Only the standard library and git. Nothing is random: ids, costs and order follow from the names,
so a second run writes the same bytes. Outcomes come from tasks/<task>/outcomes.json, which
verify.sh records and checks.
"""

import hashlib
import json
import re
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
START_MS = 1_790_000_000_000
SYSTEM = (
    "You fix one issue in the repository under /repo. Change as little as needed, keep the existing "
    "tests as they are, and submit a patch when you are done."
)
# task folder -> instance id in the SWE-bench folders; the native file holds every task
SWEBENCH = {
    "slugify": "sample__slugify-1",
    "retry": "sample__retry-2",
    "ringbuf": "sample__ringbuf-3",
}
RUNS = ["alder-7b", "birch-7b", "cedar-14b", "elm-14b", "hazel-32b", "maple-32b", "rowan-70b"]


class Task:
    """One task folder, with its candidates in the (shuffled, fixed) order they are written in."""

    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        self.info = json.loads((folder / "task.json").read_text(encoding="utf-8"))
        self.outcomes = json.loads((folder / "outcomes.json").read_text(encoding="utf-8"))
        self.issue = (folder / "issue.md").read_text(encoding="utf-8")
        self.base = texts(folder / "base")
        self.candidates = sorted(self.info["candidates"], key=lambda c: digest(self.name, c["name"]))
        # where no rollout is good enough, the reference is a file of its own
        self.candidates = [c for c in self.candidates if c["policy"] != "reference"]
        self.ids = {c["name"]: f"r{number}" for number, c in enumerate(self.candidates)}
        self.tests = {group: self.info[group] for group in ("fail_to_pass", "pass_to_pass")}
        self.base_commit = hashlib.sha1("".join(self.base[p] for p in sorted(self.base)).encode()).hexdigest()

    def patch(self, name):
        """Text of a candidate's patch; None when there is none."""
        file = self.folder / "candidates" / f"{name}.patch"
        return file.read_bytes().decode() if file.exists() else None

    def passed(self, candidate):
        """True or False by the recorded test results; None when the run is unscored."""
        if candidate.get("unscored"):
            return None
        return all(status == "pass" for status in self.outcomes[candidate["name"]].values())

    def group_of(self, test):
        return "fail_to_pass" if test in self.tests["fail_to_pass"] else "pass_to_pass"


def digest(*parts):
    """A number from 0 to 2**32 - 1 that depends on the parts only."""
    return int(hashlib.sha256("/".join(parts).encode()).hexdigest()[:8], 16)


def texts(folder):
    """{path: text} of the files under `folder`, sorted by path."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(folder).as_posix(): p.read_bytes().decode() for p in files}


def patched(task, name):
    """{path: text} of the base with a candidate's patch applied."""
    patch = task.patch(name)
    if not patch:
        return dict(task.base)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        shutil.copytree(task.folder / "base", folder, dirs_exist_ok=True)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=patch.encode(), cwd=folder, check=True)
        shutil.rmtree(folder / ".git")
        return texts(folder)


# --- steps -------------------------------------------------------------------------------------

VISIBLE = {
    "python": "python3 -m unittest discover -s tests",
    "rust": "cargo test",
    "typescript": "npm test",
    "go": "go test ./...",
}


def plan(task, changed):
    """What the agent says before it edits, when task.json gives no words of its own."""
    where = " and ".join(changed) or "nothing"
    return (f"The cause is clear now. I will change {where}, leave the public interface as it is, "
            f"and run `{VISIBLE[task.info['language']]}` afterwards.")


def steps_of(task, candidate):
    """The conversation of one rollout: look, think, edit, run the visible tests, submit."""
    name, patch = candidate["name"], task.patch(candidate["name"])
    seed = digest(task.name, name, "steps")
    sources = [p for p in task.base if not p.startswith("tests/") and task.base[p].count("\n") > 8]
    after = patched(task, name)
    changed = [p for p in sorted(set(after) | set(task.base)) if after.get(p) != task.base.get(p)]
    out = [
        {"kind": "system", "text": SYSTEM},
        {"kind": "user", "text": task.issue},
    ]
    calls = iter(range(1, 100))

    def call(command, result, status=0):
        number = next(calls)
        out.append({"kind": "tool_call", "tool": "bash", "args": {"command": command}, "id": f"c{number}"})
        out.append({"kind": "observation", "id": f"c{number}", "text": result, "exit_code": status, "ms": 30 + (seed >> number) % 400})

    title = task.issue.splitlines()[0].lstrip("# ")
    out.append({"kind": "reasoning", "text": f"The issue says: {title}. First find the code it is about."})
    call("git ls-files", "\n".join(task.base) + "\n")
    for path in sources[: 1 + seed % 2]:
        numbered = "".join(f"{n:4}  {line}\n" for n, line in enumerate(task.base[path].splitlines(), 1))
        call(f"cat -n {path}", numbered)
    if seed % 3 == 0:
        call("git log --oneline | head -2", f"{task.base_commit[:7]} Release\n{digest(task.name, 'log'):08x}"[:-1] + " Tidy up\n")
    if patch is None:
        out.append({"kind": "reasoning", "text": "I am not sure which layer is at fault; look once more before changing anything."})
        call("git log --oneline | head -3", f"{task.base_commit[:7]} Release\n")
        return out
    out.append({"kind": "reasoning", "text": candidate.get("plan") or plan(task, changed)})
    for path in changed:
        if path not in after:
            call(f"git rm -q {path}", "")
            continue
        number = next(calls)
        out.append({"kind": "tool_call", "tool": "write_file", "args": {"path": path, "content": after[path]}, "id": f"c{number}"})
        out.append({"kind": "observation", "id": f"c{number}", "text": f"wrote {len(after[path].splitlines())} lines to {path}", "ms": 12})
    if changed:
        # the visible tests pass unless task.json says otherwise
        failing = candidate.get("visible_tests")
        call(VISIBLE[task.info["language"]], failing["log"] if failing else "ok\n", 1 if failing else 0)
        call("git status --short", "".join(f" M {p}\n" if p in task.base else f"?? {p}\n" for p in changed))
        out.append({"kind": "message", "role": "assistant",
                    "text": failing["say"] if failing else "The issue is fixed and the existing tests pass."})
    out.append({"kind": "submit", "text": f"{len(changed)} file(s) changed"})
    return out


def usage(task, candidate, steps):
    """(tokens, cost in US dollars, wall time in ms) of one rollout."""
    size = sum(len(json.dumps(step)) for step in steps)
    tokens = {"input": size * len(steps) // 12 + digest(task.name, candidate["name"], "in") % 900, "output": 300 + size // 7}
    cost = round((tokens["input"] * 0.3 + tokens["output"] * 1.2) / 1e6, 6)
    return tokens, cost, 9_000 + 4_100 * len(steps) + digest(task.name, candidate["name"], "wall") % 20_000


# --- native ------------------------------------------------------------------------------------


def group_line(task):
    """One `gagar.group/1` object."""
    rewards = {c["name"]: None if (p := task.passed(c)) is None else float(p) for c in task.candidates}
    scored = [r for r in rewards.values() if r is not None]
    mean, spread = statistics.mean(scored), statistics.stdev(scored)
    trajectories = []
    for candidate in task.candidates:
        name, reward = candidate["name"], rewards[candidate["name"]]
        steps = steps_of(task, candidate)
        tokens, cost, wall = usage(task, candidate, steps)
        patch = task.patch(name)
        item = {"trajectory_id": task.ids[name], "policy": candidate["policy"]}
        if reward is None:
            item |= {"outcome": "unscored", "advantage": 0.0, "masked": True}
        else:
            item |= {"outcome": "pass" if reward else "fail", "reward": reward,
                     "advantage": round((reward - mean) / (spread + 1e-6), 6), "masked": False}
        item |= {"truncated": patch is None, "patch": patch, "steps": steps}
        if reward is not None:
            item["tests"] = [
                {"name": test, "group": task.group_of(test), "status": status}
                | ({} if status == "pass" else {"message": f"{test} failed"})
                for test, status in task.outcomes[name].items()
            ]
            item["test_log"] = "".join(f"{test} ... {status}\n" for test, status in task.outcomes[name].items())
        item |= {"tokens": tokens, "cost_usd": cost, "wall_ms": wall,
                 "exit_status": "step_limit" if patch is None else "submitted", "meta": {"candidate": name}}
        trajectories.append(item)
    return {
        "schema": "gagar.group/1", "group_id": task.info["group_id"], "step": task.info["step"],
        "task": {"text": task.issue, "repo": task.info["repo"], "base_commit": task.base_commit,
                 "reference_patch": task.patch(task.info["reference"]), "tests": task.tests},
        "base_files": task.base, "trajectories": trajectories,
        "meta": {"language": task.info["language"], "origin": "sample-data"},
    }


def lines_of(task, finding):
    """1-based first and last line of the text a finding points at."""
    files = task.base if finding.get("side") == "old" else patched(task, finding["candidate"])
    text = files[finding["file"]]
    if "at" not in finding:
        return [1, len(text.splitlines())]
    if text.count(finding["at"]) != 1:
        raise SystemExit(f"{task.name}: {finding['at']!r} is not once in {finding['file']} of {finding['candidate']}")
    first = text[: text.index(finding["at"])].count("\n") + 1
    return [first, first + finding["at"].rstrip("\n").count("\n")]


def ranking_lines(task):
    """The `gagar.ranking/1` objects of a task, from its rankings.json (which uses candidate names)."""
    file = task.folder / "rankings.json"
    if not file.exists():
        return []
    out = []
    for answer in json.loads(file.read_text(encoding="utf-8")):
        passing = [c["name"] for c in task.candidates if task.passed(c)]
        vote = answer.get("vote", 0)
        shown = sorted(passing, key=lambda name: digest(task.name, name, "shown", str(vote)))
        status = answer.get("status", "ok")
        started = START_MS + digest(task.name, "started", str(vote)) % 3_600_000
        line = {"schema": "gagar.ranking/1", "group_id": task.info["group_id"],
                "grader": {"name": answer.get("grader", "sample-grader"), "kind": "command", "version": "1"},
                "run_id": "sample-1", "vote": vote, "seed": 7 + vote, "status": status,
                "shown_order": [task.ids[n] for n in shown]}
        if "tiers" in answer:
            line["tiers"] = [[task.ids[n] for n in tier] for tier in answer["tiers"]]
        line["unranked"] = [task.ids[n] for n in answer.get("unranked", [])]
        line["not_eligible"] = [task.ids[c["name"]] for c in task.candidates if c["name"] not in passing]
        line["reasoning"] = named(answer.get("reasoning", ""), task)
        line["findings"] = [
            {"trajectory_id": task.ids[f["candidate"]], "code": f["code"], "severity": f.get("severity", "minor"), "file": f["file"],
             "side": f.get("side", "new"), "lines": lines_of(task, f), "note": named(f["note"], task)}
            for f in answer.get("findings", [])
        ]
        if "problems" in answer:
            line["problems"] = answer["problems"]
        size = sum(len(task.patch(n)) for n in shown)
        line["usage"] = {"input_tokens": 1_400 + size // 3, "output_tokens": 260 + len(line["reasoning"]) // 3,
                         "cost_usd": round((1_400 + size // 3) * 3e-6 + 0.004, 6), "cost_source": "price_table"}
        line |= {"started_ms": started, "ended_ms": started + 21_000 + digest(task.name, "took") % 30_000, "exit_code": 0 if "tiers" in answer else 1}
        out.append(line)
    return out


def named(text, task):
    """Replaces `{candidate}` by the trajectory id."""
    for name, identity in task.ids.items():
        text = text.replace("{" + name + "}", identity)
    return text


# --- SWE-bench ---------------------------------------------------------------------------------


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode())


def write_lines(path, objects):
    write(path, "".join(json.dumps(o, ensure_ascii=False) + "\n" for o in objects))


def task_report(task, candidate, patch):
    """The per-task object of a harness `report.json`."""
    status = task.outcomes[candidate["name"]]
    split = lambda group: {
        "success": [t for t in task.tests[group] if status[t] == "pass"],
        "failure": [t for t in task.tests[group] if status[t] == "fail"],
    }
    empty = {"success": [], "failure": []}
    return {"patch_is_None": patch is None, "patch_exists": patch is not None, "patch_successfully_applied": bool(patch),
            "resolved": task.passed(candidate),
            "tests_status": {"FAIL_TO_PASS": split("fail_to_pass"), "PASS_TO_PASS": split("pass_to_pass"),
                             "FAIL_TO_FAIL": empty, "PASS_TO_FAIL": empty}}


def summary(items):
    """A run summary (schema_version 2): `items` are (instance id, patch, resolved | None)."""
    ids = lambda keep: sorted(i for i, patch, resolved in items if keep(patch, resolved))
    lists = {
        "submitted_ids": ids(lambda p, r: True),
        "completed_ids": ids(lambda p, r: p and r is not None),
        "incomplete_ids": sorted(set(SWEBENCH.values()) - {i for i, _, _ in items}),
        "resolved_ids": ids(lambda p, r: p and r),
        "unresolved_ids": ids(lambda p, r: p and r is False),
        "empty_patch_ids": ids(lambda p, r: not p),
        "error_ids": ids(lambda p, r: p and r is None),
    }
    counts = {key.replace("_ids", "_instances"): len(value) for key, value in lists.items()}
    return {"total_instances": len(SWEBENCH)} | counts | lists | {"schema_version": 2}


def mini_trajectory(task, candidate, model):
    """A mini-swe-agent 1.1 trajectory of the same conversation."""
    messages = []
    for step in steps_of(task, candidate):
        kind = step["kind"]
        if kind in ("system", "user"):
            messages.append({"role": kind, "content": step["text"]})
        elif kind in ("reasoning", "message"):
            messages.append({"role": "assistant", "content": f"THOUGHT: {step['text']}"})
        elif kind == "tool_call":
            args = step["args"]
            command = args.get("command") or f"cat > {args['path']} <<'END'\n{args['content']}END"
            block = f"```bash\n{command}\n```"
            if messages[-1]["role"] == "assistant":
                messages[-1]["content"] += "\n\n" + block
            else:
                messages.append({"role": "assistant", "content": block})
            messages[-1]["extra"] = {"cost": 0.001}
        elif kind == "observation":
            messages.append({"role": "user", "content": f"<returncode>{step.get('exit_code', 0)}</returncode>\n<output>\n{step['text']}</output>"})
    patch = task.patch(candidate["name"])
    calls = sum(m["role"] == "assistant" for m in messages)
    status = "LimitsExceeded" if patch is None else "Submitted"
    messages.append({"role": "exit", "content": status, "extra": {"exit_status": status, "submission": patch or ""}})
    return {"info": {"exit_status": status, "submission": patch or "",
                     "model_stats": {"instance_cost": usage(task, candidate, messages)[1], "api_calls": calls},
                     "mini_version": "2.0.0", "config": {"model": {"model_name": model}}},
            "messages": messages, "trajectory_format": "mini-swe-agent-1.1", "instance_id": SWEBENCH[task.name]}


def swebench_rankings(tasks):
    """The graders' first answers of `ranking_lines`, about the runs: who is not there is left out, and so is
    the sentence about it."""
    out = []
    for task in tasks:
        there = {task.ids[c["name"]]: f"run-{chr(ord('a') + number)}-{RUNS[number]}"
                 for number, c in enumerate(task.candidates)
                 if number < len(RUNS) and not (number == 4 and task is tasks[-1])}
        kept = lambda ids: [there[i] for i in ids if i in there]
        for line in ranking_lines(task)[:1]:
            line["group_id"] = SWEBENCH[task.name]
            for key in ("shown_order", "unranked", "not_eligible"):
                line[key] = kept(line[key])
            line["tiers"] = [tier for tier in map(kept, line["tiers"]) if tier]
            line["findings"] = [f | {"trajectory_id": there[f["trajectory_id"]]} for f in line["findings"] if f["trajectory_id"] in there]
            absent = [i for i in task.ids.values() if i not in there]
            sentences = re.split(r"(?<=\.) ", line["reasoning"])
            said = " ".join(s for s in sentences if not any(re.search(rf"\b{i}\b", s) for i in absent))
            line["reasoning"] = re.sub(r"\br\d+\b", lambda m: there.get(m[0], m[0]), said)
            out.append(line)
    return out


def swebench(root, tasks):
    """One folder a run; the vintage of predictions and reports differs from run to run."""
    write_lines(root / "tasks" / "tasks.jsonl", [
        {"repo": t.info["repo"], "instance_id": SWEBENCH[t.name], "base_commit": t.base_commit, "patch": t.patch(t.info["reference"]),
         "problem_statement": t.issue, "FAIL_TO_PASS": json.dumps(t.tests["fail_to_pass"]), "PASS_TO_PASS": json.dumps(t.tests["pass_to_pass"])}
        for t in tasks])
    write_lines(root / "rankings.jsonl", swebench_rankings(tasks))
    gold = [{"instance_id": SWEBENCH[t.name], "model_name_or_path": "gold", "model_patch": t.patch(t.info["reference"])} for t in tasks]
    write_lines(root / "gold" / "all_preds.jsonl", gold)
    write(root / "gold" / "gold.sample.json", summary([(SWEBENCH[t.name], "x", True) for t in tasks]))
    for number, model in enumerate(RUNS):
        folder = root / f"run-{chr(ord('a') + number)}-{model}"
        picked = [(t, t.candidates[number]) for t in tasks if number < len(t.candidates)]
        # a run that never got to a task: it is absent, not empty
        picked = [(t, c) for t, c in picked if not (number == 4 and t is tasks[-1])]
        predictions = [{"instance_id": SWEBENCH[t.name], "model_name_or_path": model, "model_patch": t.patch(c["name"])} for t, c in picked]
        items = [(SWEBENCH[t.name], t.patch(c["name"]), t.passed(c)) for t, c in picked]
        resolved = sorted(i for i, patch, ok in items if ok)
        if number % 3 == 0:
            write_lines(folder / "all_preds.jsonl", predictions)
        elif number % 3 == 1:
            write(folder / "preds.json", {p["instance_id"]: p for p in predictions})
        else:
            write(folder / "preds.json", predictions)
        if number in (0, 1):  # a leaderboard folder of 2024
            write(folder / "results" / "results.json", {
                "no_generation": sorted(i for i, patch, _ in items if not patch),
                "no_logs": sorted(i for i, patch, ok in items if patch and ok is None), "resolved": resolved})
        elif number in (2, 5):  # a run summary only
            write(folder / f"{model}.sample.json", summary(items))
        elif number == 3:  # the report of early 2024
            made = sorted(i for i, patch, _ in items if patch)
            write(folder / "report.json", {
                "no_generation": sorted(i for i, patch, _ in items if not patch), "generated": made, "with_logs": made, "install_fail": [],
                "reset_failed": [], "no_apply": [], "applied": made, "test_errored": [], "test_timeout": [], "resolved": resolved})
        else:  # harness logs, one report a task
            for t, c in picked:
                patch, name = t.patch(c["name"]), SWEBENCH[t.name]
                if not patch or t.passed(c) is None:
                    continue
                logs = folder / "logs" / "run_evaluation" / "sample" / model / name
                write(logs / "report.json", {name: task_report(t, c, patch)})
                write(logs / "patch.diff", patch)
                write(logs / "test_output.txt", "".join(f"{test} ... {s}\n" for test, s in t.outcomes[c["name"]].items()))
            write(folder / f"{model}.sample.json", summary(items))
        if number in (1, 4):
            for t, c in picked:
                name = SWEBENCH[t.name]
                write(folder / "trajs" / name / f"{name}.traj.json", mini_trajectory(t, c, model))


# --- checks ------------------------------------------------------------------------------------


def check_group(group):
    """Raises SystemExit when a required key of `gagar.group/1` is missing or wrong."""
    ensure(group.get("schema") == "gagar.group/1" and group.get("group_id"), "group without schema or id")
    ids = [t.get("trajectory_id") for t in group["trajectories"]]
    ensure(all(ids) and len(set(ids)) == len(ids), f"{group['group_id']}: trajectory ids")
    kinds = {"system", "user", "message", "reasoning", "tool_call", "observation", "submit", "other"}
    for item in group["trajectories"]:
        ensure(item["outcome"] in ("pass", "fail", "unscored"), "outcome")
        ensure(("reward" in item) != (item["outcome"] == "unscored"), "reward and outcome")
        ensure(all(step["kind"] in kinds for step in item["steps"]), "step kind")


def check_ranking(line, group):
    """The rules a validator applies to `gagar.ranking/1`, beyond the schema."""
    where = f"ranking of {line['group_id']}"
    ensure(all(line.get(key) for key in ("schema", "group_id", "grader", "status")), f"{where}: required keys")
    ensure(("tiers" in line) == (line["status"] in ("ok", "partial", "repaired")), f"{where}: tiers and status")
    passing = {t["trajectory_id"] for t in group["trajectories"] if t["outcome"] == "pass"}
    others = {t["trajectory_id"] for t in group["trajectories"]} - passing
    ranked = [i for tier in line.get("tiers", []) for i in tier] + line["unranked"]
    ensure(len(set(ranked)) == len(ranked), f"{where}: an id twice")
    if "tiers" in line:
        ensure(set(ranked) == passing, f"{where}: tiers + unranked is not exactly the passing ones")
    ensure(set(line["not_eligible"]) == others, f"{where}: not_eligible")
    ensure(set(line["shown_order"]) == passing, f"{where}: shown_order is not a permutation")


def ensure(condition, message):
    if not condition:
        raise SystemExit(f"sample data wrong: {message}")


def main():
    tasks = [Task(folder) for folder in sorted((HERE / "tasks").iterdir()) if folder.is_dir()]
    for folder in ("native", "swebench"):
        shutil.rmtree(HERE / folder, ignore_errors=True)
    groups = [group_line(t) for t in tasks]
    rankings = []
    for task, group in zip(tasks, groups):
        check_group(group)
        for line in ranking_lines(task):
            check_ranking(line, group)
            rankings.append(line)
    write_lines(HERE / "native" / "groups.jsonl", groups)
    write_lines(HERE / "native" / "rankings.jsonl", rankings)
    swebench(HERE / "swebench", [t for t in tasks if t.name in SWEBENCH])
    size = sum(p.stat().st_size for p in HERE.rglob("*") if p.is_file())
    ensure(size < 1_000_000, f"{size} bytes in all, more than 1 MB")
    print(f"{len(groups)} groups, {sum(len(g['trajectories']) for g in groups)} trajectories, {len(rankings)} rankings, {size} bytes in all")


if __name__ == "__main__":
    sys.exit(main())
