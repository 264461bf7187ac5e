"""A tournament run from its file to its standings, with bots in processes of their own."""

import csv
import hmac
import os

import pytest
from tournament_kit import SEED, Cup, builtin, events

ENTRANT = {
    "name", "identity", "place", "places", "played", "won", "drawn", "lost", "score", "mean", "ci95", "rating",
    "rating_ci95", "faults",
}  # fmt: skip
KEYS = {
    "name", "game", "rules_version", "matches_planned", "matches_played", "entrants", "pairs", "seats",
}  # fmt: skip

TELLS = """
run(first, on_event=on_match(lambda match: tell(os.getpid(), match)))
"""
WAITS = """
def wait(match):
    tell(match)
    open(f"{os.environ['TELL']}-{match}").close()

run(first, on_event=on_match(wait))
"""
PRINTS = """
run(first, on_event=on_match(lambda match: print("I play", match, os.environ["REFEREE_NAME"], flush=True)))
"""


@pytest.fixture
def cup(tmp_path):
    """A tournament that is still to be written."""
    return Cup(tmp_path)


def test_a_run_leaves_logs_and_outputs_and_standings(cup):
    """The folder holds what the contract says, and the standings are printed."""
    cup.write(cup.bot("left", PRINTS), cup.bot("right", PRINTS), builtin("medium", "medium"), deals=1)
    printed = cup.run("--workers", "2")
    assert "6 of 6 matches" in printed
    assert all(name in printed for name in ("left", "right", "medium"))
    assert max(map(len, printed.splitlines())) <= 80
    assert "\x1b" not in printed
    cup.check_logs(6)
    for name in ("left", "right"):
        lines = (cup.out / "bots" / f"{name}.log").read_text().splitlines()
        said = [line for line in lines if not line.startswith("== ")]
        assert [line.split()[2].rstrip(",") for line in lines if line.startswith("== ")] == [
            line.split()[2] for line in said
        ]
        assert sorted(said) == sorted(
            f"I play {path.stem} {name}"
            for path in cup.logs()
            if name in {seat["name"] for seat in next(events(path))["seats"]}
        )
    found = cup.standings()
    assert set(found) >= KEYS
    assert found["matches_planned"] == found["matches_played"] == 6
    for one in found["entrants"]:
        assert set(one) >= ENTRANT
        assert set(one["faults"]) == {"illegal", "late", "gone", "never_came", "crashed"}
        assert one["played"] == 4 == one["won"] + one["drawn"] + one["lost"]
        assert one["ci95"][0] < one["ci95"][1]
    assert {(pair["a"], pair["b"]) for pair in found["pairs"]} == {
        ("left", "right"), ("left", "medium"), ("right", "medium"),
    }  # fmt: skip
    assert set(found["pairs"][0]) >= {"a", "b", "deals", "a_score", "a_mean", "ci95", "p_a_better"}
    assert [set(seat) for seat in found["seats"]] == [{"seat", "played", "mean", "ci95"}] * 2
    with (cup.out / "standings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [one["name"] for one in found["entrants"]]
    assert [float(row["score"]) for row in rows] == [one["score"] for one in found["entrants"]]
    assert (cup.out / "tournament.json").stat().st_mode & 0o077 == 0


def test_deal_sets_have_the_published_seeds_revealed_when_the_set_is_done(cup):
    """Set k is HMAC-SHA256(tournament seed, "set/k"); a seed is told after the last match that uses it."""
    cup.write(cup.bot("teller", TELLS), builtin("b"), deals=2)
    run = cup.start("--workers", "1")
    told = [cup.told() for _ in range(4)]
    cup.end(run, 0)
    assert [match for _, match in told] == ["0000000-0", "0000000-1", "0000001-0", "0000001-1"]
    for path in cup.logs():
        *_, ended, revealed = events(path)
        seed = hmac.digest(bytes.fromhex(SEED), f"set/{int(path.stem[:7])}".encode(), "sha256").hex()
        assert (ended["event"], ended.get("seed_withheld"), "seed" in ended) == ("match_ended", True, False)
        assert (revealed["event"], revealed["seed"]) == ("seed_revealed", seed)
        first_of_set = next(events(cup.out / "matches" / f"{path.stem[:7]}-0.jsonl"))
        assert next(events(path))["commitment"] == first_of_set["commitment"]
        last_of_set = list(events(cup.out / "matches" / f"{path.stem[:7]}-1.jsonl"))
        assert revealed["ts"] >= last_of_set[-2]["ts"]


def test_while_a_deal_set_is_played_its_seed_is_in_no_log(cup):
    """Whoever reads the folder meanwhile finds no seed of a set that is still played."""
    cup.write(cup.bot("slow", WAITS), builtin("b"), deals=1)
    for match in ("0000000-0", "0000000-1"):
        os.mkfifo(f"{cup.pipe}-{match}")
    run = cup.start("--workers", "1")
    assert cup.told() == ["0000000-0"]
    with open(f"{cup.pipe}-0000000-0", "w"):
        pass
    assert cup.told() == ["0000000-1"]
    seed = hmac.digest(bytes.fromhex(SEED), b"set/0", "sha256").hex()
    seen = b"".join(path.read_bytes() for path in cup.logs())
    assert b"match_ended" in seen
    assert b"seed_revealed" not in seen
    assert seed.encode() not in seen
    with open(f"{cup.pipe}-0000000-1", "w"):
        pass
    cup.end(run, 0)
    assert all(seed.encode() in path.read_bytes() for path in cup.logs())


def test_a_seed_makes_a_tournament_repeatable_whatever_the_workers(cup):
    """The same file gives the same standings with one worker and with two."""
    cup.write(builtin("a"), builtin("m", "medium"), cup.bot("f"), deals=3)
    one, two = cup.folder / "one", cup.folder / "two"
    assert cup.run("--workers", "1", out=one) == cup.run("--workers", "2", out=two)
    for name in ("standings.json", "standings.csv"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_without_a_seed_two_runs_differ(cup):
    """A drawn seed is another every time, and is committed to."""
    cup.write(builtin("a"), builtin("b"), seed=None, deals=1)
    for out in (cup.out, cup.folder / "other"):
        _, said = cup.end(cup.start(out=out), 0)
        assert "commitment to the deals: " in said
    logs = [(out / "matches" / "0000000-0.jsonl").read_bytes() for out in (cup.out, cup.folder / "other")]
    assert len({log[: log.index(b"hand_started")] for log in logs}) == 2


@pytest.mark.parametrize(
    ("game", "table"),
    [
        *(("domino-cartas", table) for table in range(2, 9)),
        ("domino-classico", 3),
        ("domino-classico", 4),
        ("domino-belga", 3),
        ("domino-belga", 4),
        ("domino-a-carte", 4),
        ("domino-duplas", 4),
    ],
)
def test_every_table_is_played(cup, game, table):
    """Every game at every table size: each entrant sits everywhere, and every log verifies."""
    sides = 2 if game == "domino-duplas" else table
    cup.write(*(builtin(f"e{n}") for n in range(sides)), game=game, table=table, deals=1)
    printed = cup.run("--workers", "1")
    assert f"{sides} of {sides} matches" in printed
    cup.check_logs(sides)
    assert [one["played"] for one in cup.standings()["entrants"]] == [sides] * sides
    seats = [[seat["name"] for seat in next(events(path))["seats"]] for path in cup.logs()]
    assert all(len(set(column)) == sides for column in zip(*seats, strict=True))


def test_a_kept_process_never_plays_a_deal_twice(cup):
    """A process plays one rotation of each deal set, and is kept from set to set."""
    cup.write(cup.bot("kept", TELLS), builtin("b"), deals=3)
    run = cup.start("--workers", "1")
    told = [cup.told() for _ in range(6)]
    cup.end(run, 0)
    by_process = {}
    for process, match in told:
        by_process.setdefault(process, []).append(match)
    assert sorted(by_process.values()) == [[f"{deal:07d}-{rotation}" for deal in range(3)] for rotation in range(2)]


def test_without_reuse_every_match_has_a_fresh_process(cup):
    """With reuse = false no process plays two matches."""
    cup.write(cup.bot("fresh", TELLS) | {"reuse": False}, builtin("b"), deals=2)
    run = cup.start("--workers", "1")
    told = [cup.told() for _ in range(4)]
    cup.end(run, 0)
    assert len({process for process, _ in told}) == 4
    assert cup.faults() == {}


def test_an_entrant_of_pairs_has_a_process_for_each_of_its_seats(cup):
    """domino-duplas with commands: two processes an entrant, each knowing one hand only."""
    cup.write(cup.bot("one", TELLS), cup.bot("two", TELLS), game="domino-duplas", table=4, deals=1)
    run = cup.start("--workers", "1")
    told = [tuple(cup.told()) for _ in range(8)]
    cup.end(run, 0)
    for match in ("0000000-0", "0000000-1"):
        assert len({process for process, played in told if played == match}) == 4
    assert len({process for process, _ in told}) == 8
    cup.check_logs(2)
    assert cup.faults() == {}
