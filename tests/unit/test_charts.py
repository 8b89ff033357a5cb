"""The report's plots: where values lie, what axes say, and that any text can be a label."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from lacis.report import charts
from lacis.report.residual_map import SCALE, _color
from lacis.report.svg import Canvas, Scale, tick_label

SVG = "{http://www.w3.org/2000/svg}"


def parse(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 -- our own


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in parse(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1.02, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 2.24, [0, 0.5, 1, 1.5, 2]),
        (0, 5, [0, 1, 2, 3, 4, 5]),
        (-3, 30, [0, 10, 20, 30]),
        (1234, 1240, [1234, 1235, 1236, 1237, 1238, 1239, 1240]),
    ],
)
def test_ticks_are_round_and_inside_the_axis(low: float, high: float, ticks: list[float]) -> None:
    assert Scale(low, high, 0, 100).ticks() == ticks


def test_a_logarithmic_axis_has_powers_of_ten_at_equal_steps() -> None:
    scale = Scale(1, 10_000, 200, 0, is_log=True)
    assert scale.ticks() == [1, 10, 100, 1000, 10_000]
    assert [scale.at(tick) for tick in scale.ticks()] == pytest.approx([200, 150, 100, 50, 0])
    assert Scale(0.7, 3e9, 0, 1, is_log=True).ticks() == [1, 100, 10_000, 1_000_000, 100_000_000]


@pytest.mark.parametrize(
    ("value", "text"), [(0.25, "0.25"), (5.0, "5"), (12_500.0, "12,500"), (0.1 + 0.2, "0.3")]
)
def test_labels_of_ticks_have_no_more_digits_than_they_need(value: float, text: str) -> None:
    assert tick_label(value) == text


def test_names_are_text_whatever_they_hold() -> None:
    svg = charts.bars({'<script>"&': 1.0}, xlabel="a < b", title='"quoted" & <b>')
    root = parse(svg)
    assert root.get("aria-label") == '"quoted" & <b>'
    assert '<script>"&' in texts(svg)
    assert not list(root.iter("script"))


def test_bars_are_as_long_as_their_values() -> None:
    svg = charts.bars({"one": 1.0, "three": 3.0, "none": 0.0}, xlabel="x", title="t")
    widths = [float(bar.get("width") or "nan") for bar in parse(svg).iter(f"{SVG}rect")]
    assert widths[1] == pytest.approx(3 * widths[0], abs=0.05)
    assert widths[2] == 0
    assert {"1.00", "3.00", "0.00"} <= set(texts(svg))


def test_a_distribution_rises_to_the_share_of_flows_at_each_value() -> None:
    svg = charts.distribution({"minhop": [(0.5, 1), (1.0, 3)]}, xlabel="x", title="t")
    curve = next(p for p in parse(svg).iter(f"{SVG}path") if "--series-1" in (p.get("stroke") or ""))
    steps = [float(at) for at in re.findall(r"V(-?[\d.]+)", curve.get("d") or "")]
    ends = [float(at) for at in re.findall(r"H(-?[\d.]+)", curve.get("d") or "")]
    start_x, start_y = map(float, re.findall(r"-?[\d.]+", (curve.get("d") or "").partition("H")[0]))
    # A quarter of four flows at the middle value, all at the last, which is as far again to the right.
    assert (start_y - steps[0]) / (start_y - steps[1]) == pytest.approx(0.25, abs=0.001)
    assert (ends[0] - start_x) / (ends[1] - start_x) == pytest.approx(0.5, abs=0.001)


def test_series_without_a_flow_have_no_curve() -> None:
    assert "empty" not in texts(charts.distribution({"empty": []}, xlabel="x", title="t"))


def test_a_histogram_leaves_out_empty_bars_and_names_its_marks() -> None:
    svg = charts.histogram([1, 2, 3, 4], [1, 0, 100], [(2.5, "2.5 µs, 7 pairs")], xlabel="x", title="t")
    bars = [float(bar.get("height") or "nan") for bar in parse(svg).iter(f"{SVG}rect")]
    # The axis begins at 0.7: log(100 / 0.7) / log(1 / 0.7) = 13.91.
    assert len(bars) == 2
    assert bars[1] / bars[0] == pytest.approx(13.91, rel=0.01)
    assert "2.5 µs, 7 pairs" in texts(svg)


def test_every_element_lies_inside_the_picture() -> None:
    svg = charts.histogram(
        [0, 1, 2], [5, 9], [(value, f"{value}") for value in (-1.0, 0.5, 1.5, 9.0)], xlabel="x", title="t"
    )
    root = parse(svg)
    width, height = map(float, (root.get("viewBox") or "").split()[2:])
    for text in root.iter(f"{SVG}text"):
        if text.get("x"):
            assert 0 <= float(text.get("x") or "nan") <= width
            assert 0 <= float(text.get("y") or "nan") <= height
    for path in root.iter(f"{SVG}path"):
        points = [float(one) for one in re.findall(r"[\d.]+", path.get("d") or "")]
        assert all(0 <= x <= width for x in points[::2])
        assert all(0 <= y <= height for y in points[1::2])


def test_colours_of_losses_go_from_the_first_to_the_last_of_the_scale() -> None:
    assert _color(0, 8) == SCALE[0]
    assert _color(2, 8) == SCALE[1]
    assert _color(80, 8) == SCALE[-1]
    # Halfway between #fdc45c and #e5720b, channel by channel: (0xfd + 0xe5) / 2 = 0xf1, 0x9b, 0x33.5.
    assert _color(3, 8) in ("#f19b33", "#f19b34")


def test_the_same_picture_is_the_same_bytes_and_a_file_of_its_own() -> None:
    def draw() -> str:
        canvas = Canvas(10, 10, "dot")
        canvas.rectangle(1, 1, 2, 2, "#000000")
        return canvas.svg()

    assert draw() == draw()
    assert parse(draw()).tag == f"{SVG}svg"
