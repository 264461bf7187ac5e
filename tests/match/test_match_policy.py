"""Faults and remedies: the table answers for every fault, however many."""
# ruff: noqa: D103

import pytest

from referee.match.policy import DEFAULT_POLICY, POLICIES, FaultKind, Remedy, remedy


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", FaultKind)
def test_every_policy_has_a_remedy_for_every_fault_and_every_count(policy, kind):
    remedies = [remedy(policy, kind, count) for count in (*range(1, 200), 10**6, 2**31)]
    assert all(isinstance(one, Remedy) for one in remedies)
    # Once it is a forfeit it stays one, and it does come to that.
    first = remedies.index(Remedy.FORFEIT)
    assert set(remedies[first:]) == {Remedy.FORFEIT}


def test_the_lenient_policy_is_the_default_and_forgives_some():
    assert DEFAULT_POLICY == "lenient"
    course = {kind: [remedy("lenient", kind, count) for count in range(1, 13)] for kind in FaultKind}
    ask, stand_in, out = Remedy.ASK_AGAIN, Remedy.STAND_IN, Remedy.FORFEIT
    assert course[FaultKind.ILLEGAL] == course[FaultKind.MALFORMED] == [ask] * 10 + [out] * 2
    assert course[FaultKind.LATE] == course[FaultKind.GONE] == [stand_in] * 2 + [out] * 10
    for kind in (FaultKind.NEVER_CAME, FaultKind.NOT_READY, FaultKind.CRASHED, FaultKind.FLOODING):
        assert course[kind] == [out] * 12


def test_the_strict_policy_forgives_nothing():
    assert {remedy("strict", kind, 1) for kind in FaultKind} == {Remedy.FORFEIT}


@pytest.mark.parametrize("policy", POLICIES)
def test_asking_again_is_no_remedy_for_a_bot_that_is_not_there(policy):
    for kind in (FaultKind.LATE, FaultKind.GONE, FaultKind.NEVER_CAME, FaultKind.CRASHED):
        assert Remedy.ASK_AGAIN not in {remedy(policy, kind, count) for count in range(1, 50)}
