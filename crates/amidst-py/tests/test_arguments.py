"""Messages speak Python: wrong types raise TypeError, wrong values ValueError, and ways out are named as arguments."""

import numpy as np
import pandas as pd
import pytest

import amidst

QUASI = ["age", "zip", "sex"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": "10"}, "k must be a whole number, not '10' (str)"),
        ({"k": 2.5}, "k must be a whole number, not 2.5 (float)"),
        ({"k": True}, "k must be a whole number, not True (bool)"),
        ({"quasi": 5}, "quasi must be a text or a list of texts, not 5 (int)"),
        ({"quasi": ["age", 5]}, "quasi must be a text or a list of texts, not a list"),
        ({"quasi": {"age": "range"}}, "quasi must be a text or a list of texts, not a dict"),
        ({"identifier": {"name": 1}}, "identifier must be a text or a list of texts, not a dict"),
        ({"sensitive": b"disease"}, "sensitive must be a text or a list of texts, not a bytes"),
        ({"l": "3"}, "l must be a number, not '3' (str)"),
        ({"suppress": "2%"}, "suppress must be a number, not '2%' (str)"),
        ({"kind": ["age"]}, "kind must be a dict whose keys are columns, with a text for each, not a list"),
        ({"show": "middle"}, "show must be a dict whose keys are columns, with a text for each, not 'middle' (str)"),
        ({"shift": {"day": "3"}}, "shift must be a dict whose keys are columns, with a whole number for each, not a dict"),
        ({"order": {"sex": "F"}}, "order must be a dict whose keys are columns, with a list for each, not a dict"),
        ({"fold": "yes"}, "fold must be True or False, not 'yes' (str)"),
        ({"keep_order": 1}, "keep_order must be True or False, not 1 (int)"),
        ({"seed": 1.5}, "seed must be a whole number or a text, not 1.5 (float)"),
        ({"plan": 5}, "plan must be a dict or a text or a path, not 5 (int)"),
        ({"partitioner": ["engine"]}, "partitioner must be a text, not a list"),
        ({"measures": {"lm": 1}}, "measures must be a text or a list of texts, not a dict"),
        ({"time": "5"}, "time must be a number, not '5' (str)"),
        ({"personal_k": 3}, "personal_k must be a text, not 3 (int)"),
        ({"threads": "2"}, "threads must be a whole number, not '2' (str)"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_wrong_types(people, arguments, message):
    with pytest.raises(TypeError) as raised:
        amidst.anonymize(people, **{"quasi": QUASI, "identifier": "name", "k": 3, **arguments})
    assert str(raised.value) == message


def test_other_functions_check_types_too(people):
    for call in (
        lambda: amidst.audit(people, quasi=5),
        lambda: amidst.bound(people, QUASI, k="3"),
        lambda: amidst.measure(people, people, QUASI, measures=5),
        lambda: amidst.attack(people, people, QUASI, attacks={"linking": 1}),
        lambda: amidst.risk(people, quasi={"age": 1}),
        lambda: amidst.compare(people, QUASI, k=[3], algorithms=7),
        lambda: amidst.Anonymizer(QUASI, k="3").fit(people),
        lambda: amidst.Anonymizer({"age": 1}, k=3).fit(people),
        lambda: amidst.anonymize(5, quasi="age", k=3),
        lambda: amidst.anonymize(people["age"], quasi="age", k=3),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("quasi", [("age", "sex"), pd.Index(["age", "sex"]), np.array(["age", "sex"]), {"age": 1, "sex": 2}.keys()])
def test_what_is_as_good_as_a_list(people, quasi):
    release = amidst.anonymize(people, quasi=quasi, identifier=["name", "zip"], k=np.int64(3), suppress=np.float32(0), seed=np.uint32(7))
    assert release.report()["achieved"]["k"] >= 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": -1}, "k must be 1 or more, not -1"),
        ({"suppress": 2.0}, "`suppress` must be a share of the records"),
        ({"kind": {"age": "rnage"}}, "unknown variant `rnage`, expected one of"),
        ({"quasi": "ages"}, "did you mean `age`"),
    ],
)
def test_wrong_values(people, arguments, message):
    with pytest.raises(ValueError, match=message) as raised:
        amidst.anonymize(people, **{"quasi": QUASI, "identifier": "name", "k": 3, **arguments})
    assert isinstance(raised.value, amidst.UsageError) and "line 1" not in str(raised.value)


def bad(people, **changes):
    return {"table": people, "quasi": QUASI, "identifier": "name", "k": 3, **changes}


# What goes wrong, and the ways out that its message names.
REMEDIES = {
    "no quasi": (lambda p: {"table": p, "k": 3, "others": "drop"}, ["quasi=[…]"]),
    "no sensitive": (lambda p: bad(p, l=2), ["sensitive=[…]"]),
    "identifiers": (
        lambda p: bad(p, identifier=None),
        ['identifier="name"', "quasi=[…]", 'others="drop"', 'publish_as_is="name"'],
    ),
    "not a number": (lambda p: bad(p.assign(age=["old", *map(str, p["age"][1:])]), kind={"age": "range"}), ['missing=["old"]']),
    "no household": (lambda p: bad(p, require="household-k(k=2)"), ["household=[…]"]),
    "no key": (lambda p: bad(p, identifier=None, pseudonym="name"), ["key=…", 'amidst.make_key("person.key")']),
    "rows of nobody": (
        lambda p: bad(p.assign(name=[None, *p["name"][1:]]), identifier=None, person="name"),
        ['missing_person="own"', 'missing_person="drop"'],
    ),
    "memory": (lambda p: bad(p, memory=10), ["memory=…", "identifier=[…]"]),
    "time": (lambda p: bad(p, partitioner="mondrian", time=1.0), ['refine="large-neighbourhood(rounds=100)"']),
    "ring": (lambda p: bad(p, publish="ring", keep_order=True), ["keep_order=False"]),
    "hierarchy of a sensitive column": (lambda p: bad(p, kind={"disease": "set"}), ["quasi=[…]"]),
    "require": (lambda p: bad(p, require="disease=distinct-l(l=2)"), ["sensitive=[…]"]),
}


@pytest.mark.parametrize("name", REMEDIES)
def test_ways_out_are_arguments(people, monkeypatch, name):
    monkeypatch.delenv("AMIDST_KEY", raising=False)
    call, ways = REMEDIES[name]
    with pytest.raises(amidst.AmidstError) as raised:
        amidst.anonymize(**call(people))
    said = str(raised.value)
    assert all(way in said for way in ways), said
    assert "--" not in said and "role =" not in said and "amidst key" not in said
