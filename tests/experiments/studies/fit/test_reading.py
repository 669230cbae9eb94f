"""Files of choices and rewards: what is understood, and one line for each kind of bad file."""

import numpy as np
import pytest

from experiments.studies.fit.data import Behaviour, Game, Subject, to_csv
from experiments.studies.fit.reading import Reading, parse

OURS = "subject,choice,reward\na,0,1\na,1,0\nb,1,1\n"


def read(text, **how):
    return parse(text if isinstance(text, bytes) else text.encode(), "data.csv", Reading(**how))


def columns(behaviour):
    return [(s.name, [(g.label, g.arms.tolist(), g.rewards.tolist()) for g in s.games]) for s in behaviour.subjects]


EXPECTED = [("a", [("", [0, 1], [1.0, 0.0])]), ("b", [("", [1], [1.0])])]


@pytest.mark.parametrize(
    "text",
    [
        OURS,
        OURS.replace(",", "\t"),
        OURS.replace(",", ";"),
        OURS.replace("\n", "\r\n"),
        "\ufeff" + OURS,
        "subjID,choice,outcome\na,1,1\na,2,0\nb,2,1\n",  # hBayesDM
        "subj_idx,response,rt,feedback\na,0.0,1.2,1.0\na,1.0,0.3,0.0\nb,1.0,0.3,1.0\n",  # HDDM
        "ppt,trial,response,feedback\na,1,0,1\na,2,1,0\nb,1,1,1\n",  # cpm
        "reward,subject,choice\n1,a,left\n0,a,right\n1,b,right\n",
        OURS.replace("b,1,1", "\nb,NA,\nb,1,1\n\nb,,0"),  # missed trials and empty lines
    ],
    ids=["ours", "tabs", "semicolons", "windows", "bom", "hBayesDM", "HDDM", "cpm", "names", "missed"],
)
def test_files_of_the_field_are_understood(text):
    found = read(text)
    assert columns(found) == EXPECTED
    assert found.n_arms == 2
    assert found.n_missed == (2 if "NA" in text else 0)


def test_gain_and_loss_are_scaled():
    found = read("subjID,choice,gain,loss\na,1,50,0\na,2,0,-50\na,1,100,-100\na,1,100,0\n", scale=(-100, 100))
    assert found.subjects[0].games[0].rewards.tolist() == [0.75, 0.25, 0.5, 1.0]


def test_blocks_sessions_and_conditions_are_games_of_their_own():
    text = "subject,session,block,pair,choice,reward\na,1,1,AB,0,1\na,1,1,CD,1,1\na,1,2,AB,1,0\na,2,1,AB,0,0\n"
    games = read(text).subjects[0].games
    assert [(game.label, len(game)) for game in games] == [("1 1", 2), ("1 2", 1), ("2 1", 1)]
    games = read(text, condition="pair").subjects[0].games
    assert [game.label for game in games] == ["1 1 AB", "1 1 CD", "1 2 AB", "2 1 AB"]


def test_offered_arms_make_a_mask():
    found = read("subject,choice,reward,offered\na,A,1,A B\na,C,0,B|C\na,B,0,A;B;C\n")
    assert found.labels == ("A", "B", "C")
    assert found.subjects[0].games[0].offered.tolist() == [[1, 1, 0], [0, 1, 1], [1, 1, 1]]


def test_arms_that_nobody_chose_can_be_named():
    assert read(OURS, arms=4).n_arms == 4
    assert read(OURS.replace(",0,1", ",-9,1"), missed="-9", arms=2).n_missed == 1


def test_columns_can_be_named():
    text = "who,choice,response,paid\na,0,7,1\na,1,7,0\nb,1,7,1\n"
    assert columns(read(text, columns={"subject": "who", "choice": "choice", "reward": "paid"})) == EXPECTED


def test_what_is_written_is_read_again():
    rng = np.random.default_rng(0)
    games = tuple(Game(label, rng.integers(3, size=9), rng.integers(2, size=9) * 1.0) for label in ("one", "two"))
    shown = np.ones((9, 3), bool)
    shown[2, (games[1].arms[2] + 1) % 3] = False
    games = (games[0], Game("two", games[1].arms, games[1].rewards, shown))
    found = read(to_csv(Behaviour((Subject("a", games),), 3)))
    assert columns(found) == [("a", [(g.label, g.arms.tolist(), g.rewards.tolist()) for g in games])]
    assert (found.subjects[0].games[1].offered == shown).all()


def test_arms_that_nobody_chose_and_all_digits_are_read_again():
    game = Game("", np.array([1, 2, 1]), np.array([1 / 3, 0.0, 1.0]))
    found = read(to_csv(Behaviour((Subject("a", (game,)),), 5)))
    assert found.n_arms == 5
    assert columns(found) == [("a", [("", [1, 2, 1], [1 / 3, 0.0, 1.0])])]


BAD = {
    "empty": ("", {}, "the file is empty"),
    "header alone": ("subject,choice,reward\n", {}, "no trials below the header"),
    "no header": ("1,0,1\n1,1,0\n", {}, "line 1: a header with names of columns is missing"),
    "no subject": ("choice,reward\n0,1\n", {}, "line 1: no column of the subject (subject, subjid, "),
    "no choice": ("subject,reward\na,1\n", {}, "line 1: no column of the choice (choice, response, "),
    "no reward": ("subject,choice\na,1\n", {}, "or gain and loss) among 'subject, choice'"),
    "gain without loss": ("subject,choice,gain\na,1,1\n", {}, "line 1: no column of the reward"),
    "a column twice": ("subject,choice,reward,choice\na,1,1,1\n", {}, "line 1: two columns are called 'choice'"),
    "two choices": ("subject,choice,response,reward\na,1,1,1\n", {}, "line 1: both choice and response may be the"),
    "unknown column": (OURS, {"columns": {"choice": "chioce"}}, "line 1: no column 'chioce' (--column choice); did"),
    "unknown role": (OURS, {"columns": {"colour": "choice"}}, "--column takes one of subject, choice, reward"),
    "unknown condition": (OURS, {"condition": "pair"}, "line 1: no column 'pair' (--condition); there are subject"),
    "too few cells": (OURS + "c,1\n", {}, "line 5: 2 columns, but the header has 3"),
    "too many cells": (OURS + "c,1,1,1\n", {}, "line 5: 4 columns, but the header has 3"),
    "no name": (OURS + ",1,1\n", {}, "line 5: the subject is missing"),
    "half a choice": (OURS + "c,0.5,1\n", {}, "line 5: a choice must be a whole number, got '0.5'"),
    "negative choice": (OURS + "c,-1,1\n", {}, "line 5: a choice must be a number from 0 up, got -1; --missed -1"),
    "too high a choice": (OURS + "c,2,1\n", {"arms": 2}, "line 5: a choice must be a whole number from 0 to 1, got 2"),
    "absurd choice": (OURS + "c,99999999,1\n", {}, "line 5: a choice must be a whole number from 0 to 999, got 999"),
    "mixed choices": (OURS + "c,left,1\n", {}, "line 5: choices must be all numbers or all texts, got 'left'"),
    "too many names": ("subject,choice,reward\na,l,1\na,m,1\na,r,1\n", {"arms": 2}, "line 4: choice 'r' is one too"),
    "one arm": ("subject,choice,reward\na,0,1\n", {}, "all choices are '0': give the number of arms, --arms K"),
    "reward in words": (OURS + "c,1,yes\n", {}, "line 5: reward must be a finite number, got 'yes'"),
    "no reward in a trial": (OURS + "c,1,\n", {}, "line 5: reward must be a finite number, got ''"),
    "infinite reward": (OURS + "c,1,inf\n", {}, "line 5: reward must be a finite number, got 'inf'"),
    "reward of another range": (OURS + "c,1,-1\n", {}, "line 5: a reward must be from 0 to 1, got -1; --scale"),
    "reward beyond the scale": (OURS + "c,1,9\n", {"scale": (0, 5)}, "line 5: a reward must be from 0 to 5 (--sca"),
    "not offered": ("subject,choice,reward,offered\na,0,1,1 2\n", {}, "line 2: choice '0' is not among the offered"),
    "nothing offered": ("subject,choice,reward,offered\na,0,1,\n", {}, "line 2: choice '0' is not among the offered"),
    "all missed": ("subject,choice,reward\na,NA,\nb,,\n", {}, "no choices: all 2 trials are missed"),
    "not a text": (b"subject,choice,reward\na,\xff\xfe,1\n", {}, "line 2: not UTF-8 text"),
    "zero byte": (b"subject,choice,reward\na,0,1\0\n", {}, "line 2: not a text file, it has a zero byte"),
    "open quote": (OURS + 'c,"1,1\n', {}, "line 5: unexpected end of data"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_get_one_line_with_the_row(kind):
    text, how, said = BAD[kind]
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the text is compared below
        read(text, **how)
    assert said in str(error.value)
    assert str(error.value).startswith("data.csv: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"scale": (1, 0)}, "--scale-rewards takes LOW,HIGH with LOW < HIGH"),
        ({"scale": (0, 1, 2)}, "--scale-rewards takes LOW,HIGH"),
        ({"scale": (0, float("inf"))}, "--scale-rewards takes LOW,HIGH"),
        ({"arms": 1}, "--arms must be a whole number from 2 to 1000, got 1"),
    ],
)
def test_bad_ways_to_read_are_refused(how, said):
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        Reading(**how)
