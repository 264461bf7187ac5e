"""A run that is stopped, killed or out of disk, and the run that goes on from there."""

import os
import pty
import resource
import select
import signal

import pytest
from tournament_kit import QUICK, TIMEOUT_S, Cup, builtin, wait_for

from tournaments.proof import prove

GATED = """
run(first, on_event=on_match(lambda match: (tell(0, match), open("{gate}").close())))
"""
TELLS = "run(lambda turn: (tell(os.getpid(), turn.match.id, turn.turn_id), first(turn))[1])"


@pytest.fixture
def cup(tmp_path):
    """Three deal sets of two bots that tell every turn."""
    cup = Cup(tmp_path)
    return cup.write(cup.bot("a", TELLS), cup.bot("b"), deals=3)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The standings of a run that nobody disturbs."""
    cup = Cup(tmp_path_factory.mktemp("undisturbed"))
    cup.write(cup.bot("a", TELLS), cup.bot("b"), deals=3)
    cup.run("--workers", "2")
    return cup.standings()


def until(cup, match):
    """Wait until a match is begun."""
    while (told := cup.told())[1] != match:
        pass
    return int(told[0])


def times(cup):
    """When each log was last written."""
    return {path.name: path.stat().st_mtime_ns for path in cup.logs()}


@pytest.mark.parametrize(
    ("number", "match", "whole_group"),
    [
        (signal.SIGINT, "0000000-1", True),
        (signal.SIGTERM, "0000001-0", False),
        (signal.SIGKILL, "0000001-1", False),
        (signal.SIGKILL, "0000000-0", True),
    ],
)
def test_a_stopped_run_goes_on_and_ends_as_if_undisturbed(cup, undisturbed, number, match, whole_group):
    """Whatever stops a run leaves no process behind; the next run plays only what is left, with the same result."""
    run = cup.start("--workers", "1")
    until(cup, match)
    (os.killpg if whole_group else os.kill)(run.pid, number)
    status = -number if number == signal.SIGKILL else 128 + number
    printed, said = cup.end(run, status)
    done = [path for path in cup.logs() if b"match_ended" in path.read_bytes() and b"aborted" not in path.read_bytes()]
    if number != signal.SIGKILL:
        assert cup.standings()["matches_played"] == len(done)
        assert printed == ""
        assert said.splitlines()[-1].startswith(f"referee: stopped with {len(done)} of 6 matches played; run it again")
    lines = {path.name: path.read_bytes().splitlines()[:-1] for path in done}
    cup.run("--workers", "2")
    assert cup.standings() == undisturbed
    cup.check_logs(6)
    for path in done:
        assert path.read_bytes().splitlines()[: len(lines[path.name])] == lines[path.name]


def test_ctrl_c_on_a_terminal_leaves_it_as_it_was(cup):
    """Status 130, no traceback, the cursor shown again, and a line that says how to go on."""
    ours, theirs = pty.openpty()
    run = cup.start("--workers", "2", stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    until(cup, "0000000-0")
    os.killpg(run.pid, signal.SIGINT)
    shown = b""
    while select.select([ours], [], [], TIMEOUT_S)[0]:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:
            break
    os.close(ours)
    assert run.wait(TIMEOUT_S) == 130
    wait_for(cup.processes())
    assert b"\x1b[?25l" in shown
    assert shown.rindex(b"\x1b[?25h") > shown.rindex(b"\x1b[?25l")
    assert b"Traceback" not in shown
    assert b"run it again to go on" in shown.splitlines()[-1]


def test_a_worker_that_is_killed_costs_nothing(cup, undisturbed):
    """The matches of a worker process that dies are played again in the same run."""
    run = cup.start("--workers", "2")
    for _ in range(2):
        cup.told()
        worker = next(pid for pid, command in cup.processes().items() if "multiprocessing-fork" in command)
        os.kill(worker, signal.SIGKILL)
        wait_for({worker: "the worker"})
    cup.end(run, 0)
    assert cup.standings() == undisturbed
    cup.check_logs(6)


def test_a_finished_run_plays_nothing_twice(cup, undisturbed):
    """Run again, it prints the same standings and touches no log."""
    printed = cup.run("--workers", "2")
    before = times(cup)
    assert cup.run() == printed
    assert times(cup) == before
    assert cup.standings() == undisturbed


def test_torn_and_damaged_and_missing_logs_are_played_again(cup):
    """Only what is not there to its end is played again; a seed's line that is torn is written anew."""
    cup.write(builtin("a"), builtin("m", "medium"), deals=6)
    cup.run("--workers", "1")
    before, first = cup.standings(), times(cup)
    torn_seed, torn, foreign, empty, missing, not_json = (cup.logs()[place] for place in (0, 2, 5, 6, 8, 11))
    os.truncate(torn_seed, torn_seed.stat().st_size - 30)
    os.truncate(torn, torn.stat().st_size // 2)
    foreign.write_text('["match_ended"]\n["match_ended"]\n')
    empty.write_bytes(b"")
    missing.unlink()
    not_json.write_bytes(b"\xff\x00" * 99 + b"\n" + b"\xff" * 99 + b"\n")
    cup.run("--workers", "2")
    assert cup.standings() == before
    cup.check_logs(12)
    again = {torn, foreign, empty, missing, not_json}
    assert {name for name, when in times(cup).items() if first[name] != when} == {
        path.name for path in {*again, torn_seed}
    }


def test_a_run_goes_on_when_there_is_room_again(cup, undisturbed):
    """A log that cannot be written ends the run with status 1 and one line; the next run goes on."""
    run = cup.start("--workers", "2", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000)))
    _, said = cup.end(run, 1)
    line = said.splitlines()[-1]
    assert line.startswith("referee: the tournament could not be finished: 000000")
    assert line.endswith("File too large; run it again to go on")
    assert said.count("File too large") == 1
    cup.run("--workers", "2")
    assert cup.standings() == undisturbed


def test_two_runs_at_once_on_a_folder_are_refused(cup):
    """The second says that another is at work, and disturbs nothing."""
    gate = cup.folder / "gate"
    os.mkfifo(gate)
    cup.write(cup.bot("a", GATED.format(gate=gate)), cup.bot("b"), deals=1)
    run = cup.start("--workers", "1")
    until(cup, "0000000-0")
    second = cup.start()
    _, said = second.communicate(timeout=TIMEOUT_S)
    assert second.returncode == 2
    assert said == f"referee: {cup.out}: another run is at work here\n"
    gate.open("w").close()
    until(cup, "0000000-1")
    gate.open("w").close()
    cup.end(run, 0)


def proof_of(cup):
    """A stopped tournament's folder refereed again: no fault, and not finished."""
    proof = prove(cup.out)
    assert [str(fault) for fault in proof.faults] == []
    assert not proof.finished
    return proof


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_does_not_stop_the_stopping(cup, number):
    """A shell's Ctrl-C and a `timeout` come twice: the standings are still those of the logs."""
    run = cup.start("--workers", "2")
    until(cup, "0000000-1")
    for _ in range(3):
        os.killpg(run.pid, number)
    _, said = cup.end(run, 128 + number)
    proof = proof_of(cup)
    assert not proof.behind
    assert f"stopped with {proof.played} of 6 matches played" in said


def test_a_stopped_run_counts_the_logs_that_lie_further_on(cup):
    """A run that is stopped before it has come to the logs of an earlier run counts them, and reveals their seeds."""
    cup.write({"name": "far", "remote": True}, builtin("b"), clock=QUICK | {"join_ms": 1}, deals=3)
    cup.run("--workers", "1")
    cup.write({"name": "far", "remote": True}, builtin("b"), builtin("c"), clock=QUICK | {"join_ms": 1}, deals=3)
    run = cup.start("--workers", "1")
    while "waited for up to" not in run.stderr.readline():
        pass
    os.kill(run.pid, signal.SIGINT)
    cup.end(run, 130)
    assert proof_of(cup).played >= 6
    assert not proof_of(cup).behind


def test_logs_of_a_killed_run_are_no_faults(cup):
    """Empty, torn and broken-off logs, a seed that is not told yet and standings that are behind are named as such."""
    cup.write(builtin("a"), builtin("m", "medium"), deals=6)
    cup.run("--workers", "1")
    late = (cup.out / "standings.json").read_text().replace('"matches_played": 12', '"matches_played": 2')
    untold, empty, torn, broken_off = (cup.logs()[place] for place in (1, 3, 5, 7))
    untold.write_bytes(b"".join(untold.read_bytes().splitlines(keepends=True)[:-1]))
    empty.write_bytes(b"")
    os.truncate(torn, torn.stat().st_size // 2)
    broken_off.write_bytes(b"".join(broken_off.read_bytes().splitlines(keepends=True)[:9]))
    (cup.out / "standings.json").write_text(late)
    proof = proof_of(cup)
    notes = {os.path.basename(note.path): note.problem for note in proof.notes}
    assert notes == {
        untold.name: "seed: not revealed yet",
        **{log.name: "unfinished, to be played again" for log in (empty, torn, broken_off)},
        "standings.json": "standings count 2 of 9 matches; run again or report to refresh",
    }
    printed, _ = cup.asked("verify", str(cup.out))
    assert "9 of 12 matches, not finished yet; deals, schedule and logs verify" in printed
    cup.asked("tournament", "report", str(cup.out))
    assert cup.standings()["matches_played"] == 9
    assert not proof_of(cup).behind
    standings = cup.out / "standings.json"
    standings.write_text(standings.read_text().replace('"won": ', '"won": 1'))
    assert [fault.path for fault in prove(cup.out).faults] == [str(standings)]
    broken_off.write_bytes(b"".join(broken_off.read_bytes().splitlines(keepends=True)[1:]))
    assert str(broken_off) in [fault.path for fault in prove(cup.out).faults]
