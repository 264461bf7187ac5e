"""Whose fault it was: faults of entrants in a closed vocabulary, breakdowns of the host and restarts apart."""

import asyncio
import os
import resource
import signal

import pytest
from tournament_kit import Cup, builtin, wait_for

from referee.match.policy import FaultKind
from referee.processes.bot_process import StartError
from tournaments.faults import FAULT_OF, FAULTS, Breakdown
from tournaments.folder import begin, locked
from tournaments.incidents import FILE, IncidentReader, Incidents, breakdowns_text, note_again, note_restart
from tournaments.player import MatchFailed, Player
from tournaments.schedule import Schedule
from tournaments.spec import load
from tournaments.worker import TRIES, Work, play_sets

DIES = """
def die(turn):
    os.kill(os.getpid(), signal.SIGKILL)
run(die)
"""


@pytest.fixture
def cup(tmp_path):
    """A tournament that is still to be written."""
    return Cup(tmp_path)


def test_every_kind_of_fault_counts_as_one_of_five():
    """None is left out, and all five names of the contract are used."""
    assert FAULT_OF.keys() == set(FaultKind)
    assert FAULTS == ("illegal", "late", "gone", "never_came", "crashed")
    assert {fault.value for fault in FAULT_OF.values()} == set(FAULTS)


def test_a_bot_that_dies_in_every_match_is_started_again_for_each(cup):
    """One worker, two rotations with a process each, three deal sets: each process is started again twice."""
    cup.write(cup.bot("dies", DIES), cup.bot("good"), deals=3)
    printed = cup.run("--workers", "1")
    found = IncidentReader(cup.out).read()
    assert found.restarts == {"dies": 4}
    assert not found.breakdowns
    assert "processes started again: 'dies' 4" in printed
    assert "played again" not in printed
    assert cup.faults() == {"dies": {"crashed": 6}}
    assert "processes started again: 'dies' 4" in cup.asked("tournament", "standings", str(cup.out))[0]


def test_a_process_for_each_match_is_no_restart(cup):
    """Where a process is not kept, one ends after every match and the next is no second start of it."""
    cup.write(cup.bot("dies", DIES) | {"reuse": False}, builtin("good"), deals=2)
    cup.run("--workers", "1")
    assert not IncidentReader(cup.out).read().restarts


def test_a_match_that_the_host_breaks_down_is_played_again_and_nobodys_fault(cup):
    """A log that cannot be written: tried three times, the host's, and no entrant's fault in the end."""
    cup.write(cup.bot("a"), cup.bot("b"), deals=1, duplicate=False)
    run = cup.start("--workers", "1", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000)))
    cup.end(run, 1)
    found = IncidentReader(cup.out).read()
    assert found.breakdowns == {Breakdown.HOST: TRIES}
    assert {(again.match, again.cause) for again in found.again} == {("0000000-0", Breakdown.HOST)}
    assert all("File too large" in again.problem for again in found.again)
    printed = cup.run("--workers", "1")
    assert "3 times a match had to be played again, for no fault of an entrant: 3 the host's" in printed
    assert cup.faults() == {}
    assert cup.standings()["matches_played"] == 1


def test_a_match_whose_worker_dies_is_the_hosts(cup):
    """It is noted once, and played again by another worker."""
    cup.write(cup.bot("a", "run(first, on_event=on_match(tell))"), cup.bot("b"), deals=1, duplicate=False)
    run = cup.start("--workers", "1")
    cup.told()
    worker = next(pid for pid, command in cup.processes().items() if "multiprocessing-fork" in command)
    os.kill(worker, signal.SIGKILL)
    wait_for({worker: "the worker"})
    cup.end(run, 0)
    found = IncidentReader(cup.out).read()
    assert found.breakdowns == {Breakdown.HOST: 1}
    assert found.again[0].problem == "the worker process that played it died"
    assert cup.standings()["matches_played"] == 1


class Clumsy(Player):
    """Fails at its first tries, each time in another way."""

    def __init__(self, setting, *failures):
        super().__init__(setting)
        self.failures = list(failures)

    async def play(self, planned):
        """Play, once there is no failure left."""
        if self.failures:
            raise self.failures.pop(0)
        await super().play(planned)


def played_by(cup, *failures):
    """The results of a deal set, played by somebody clumsy."""
    spec = load(cup.file)
    with locked(cup.out):
        setting = begin(cup.out, spec, cup.folder, "cup.toml").setting(cup.out)
    (match,) = Schedule.of(spec).deal_set(0)
    results = []
    asyncio.run(play_sets(Clumsy(setting, *failures), setting, [Work((match,), (match,))], results.append))
    return results


def test_every_breakdown_has_its_cause(cup):
    """A bot that cannot be started is the host's; a defect of ours the referee's; the match counts in the end."""
    cup.write(builtin("a"), builtin("b"), deals=1, duplicate=False)
    (result,) = played_by(cup, StartError("no more processes"), MatchFailed("KeyError: 1", Breakdown.REFEREE))
    assert (result.faults, result.forfeited) == ({}, ())
    found = IncidentReader(cup.out).read()
    assert [(again.cause, again.problem) for again in found.again] == [
        (Breakdown.HOST, "no more processes"),
        (Breakdown.REFEREE, "KeyError: 1"),
    ]


def test_it_is_tried_three_times_and_no_more(cup):
    """The last failure ends the run."""
    cup.write(builtin("a"), builtin("b"), deals=1, duplicate=False)
    with pytest.raises(StartError, match="three"):
        played_by(cup, StartError("one"), StartError("two"), StartError("three"))
    assert IncidentReader(cup.out).read().breakdowns == {Breakdown.HOST: 3}


def test_a_strict_tournament_ends_a_match_at_the_first_fault_and_says_why(cup):
    """In the bot's own output: the turn, what was wrong, what would have been legal, and that the match is lost."""
    wrong = cup.bot("wrong", "run(lambda turn: Action.of('9-9 left'))")
    cup.write(wrong, builtin("m", "medium"), deals=1, policy="strict")
    cup.run("--workers", "1")
    assert cup.faults() == {"wrong": {"illegal": 2}}
    assert cup.standings()["entrants"][1]["lost"] == 2
    said = (cup.out / "bots" / "wrong.log").read_text()
    assert said.count("; the match is lost by it ==") == 2
    assert said.count("legal: ") >= 2


def test_a_failed_match_keeps_its_cause_on_the_way_between_processes():
    """It is raised in a worker and told in the main process."""
    failed = MatchFailed("0000000-0: broken", Breakdown.REFEREE)
    kind, arguments = failed.__reduce__()
    again = kind(*arguments)
    assert (str(again), again.cause) == ("0000000-0: broken", Breakdown.REFEREE)


def test_incidents_are_read_as_they_come(tmp_path):
    """What is torn is read when it is whole; what is none of ours is passed over."""
    reader = IncidentReader(tmp_path)
    assert reader.read() == Incidents()
    note_restart(tmp_path, "a", "it ended")
    note_again(tmp_path, "0000001-0", Breakdown.REFEREE, "KeyError: 1")
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"incident":"restart"}\nnonsense\n{"incident":"restart","ent')
    assert reader.read().restarts == {"a": 1}
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'rant":"a"}\n')
    found = reader.read()
    assert found.restarts == {"a": 2}
    assert found.breakdowns == {Breakdown.REFEREE: 1}
    assert breakdowns_text(found) == (
        "once a match had to be played again, for no fault of an entrant: 1 the referee's"
    )  # fmt: skip
