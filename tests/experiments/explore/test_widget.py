"""The widget of nsa explore, for notebooks."""

import json

import pytest

pytest.importorskip("anywidget")

from experiments.explore.widget import Explorer


def test_the_widget_answers_messages():
    widget, sent = Explorer(arms=3, silence="u"), []
    widget.send = sent.append
    view = json.loads(widget.start)["view"]
    assert (view["arms"], view["silence"]) == (3, "u")
    widget._handle_custom_msg({"number": 7, "question": {"ask": "code", "view": view}}, [])
    widget._handle_custom_msg({"number": 8, "question": {"ask": "code", "view": {"arms": 1}}}, [])
    assert sent[0]["number"] == 7
    assert "NSA(3, parameters" in sent[0]["answer"]["python"]
    assert sent[1]["answer"]["field"] == "arms"


def test_the_widget_runs_the_module_and_style_of_the_page():
    assert "export default { render }" in Explorer._esm
    assert ".explore" in str(Explorer._css)
    with pytest.raises(ValueError, match="arms must be"):
        Explorer(arms=0)
