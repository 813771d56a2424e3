"""The study of the Creaking Chair: bookshelf, window at night, lamp, rug. No Django here."""

from __future__ import annotations

import numpy as np

from simulation.local.canvas import Drawing
from simulation.local.outlines import curve, ellipse, polygon, rectangle, rounded, stroke
from simulation.local.pen import shaded

SPINES = (
    (150, 52, 46),
    (56, 92, 120),
    (196, 150, 66),
    (70, 104, 74),
    (112, 70, 104),
    (206, 194, 168),
    (84, 62, 52),
    (172, 98, 54),
)


def draw_study() -> Drawing:
    """Return the room: wall, bookshelf, window, rug, lamp and a small table."""
    drawing = Drawing()
    _room(drawing)
    _shelf(drawing)
    _window(drawing)
    _lamp(drawing)
    return drawing


def _room(drawing: Drawing) -> None:
    drawing.fill(rectangle(0, 0, 1280, 560), (122, 112, 84), (88, 80, 62))
    for x in range(24, 1280, 56):
        drawing.fill(rectangle(x, 0, x + 14, 520), (140, 128, 96), opacity=0.25)
    drawing.fill(rectangle(0, 508, 1280, 560), (84, 58, 38), (64, 44, 28))
    drawing.fill(rectangle(0, 556, 1280, 720), (124, 82, 50), (82, 52, 32))
    for y in (590, 632, 684):
        drawing.fill(rectangle(0, y, 1280, y + 2), (60, 38, 22), opacity=0.6)
    for i, x in enumerate(range(40, 1280, 130)):
        drawing.fill(
            rectangle(x + 37 * (i % 3), 592, x + 2 + 37 * (i % 3), 632), (60, 38, 22), opacity=0.5
        )
    drawing.fill(ellipse((640, 668), 420, 46), (120, 46, 44), (86, 32, 34))
    drawing.fill(ellipse((640, 668), 384, 39), (196, 160, 104))
    drawing.fill(ellipse((640, 668), 374, 37), (112, 42, 42), (84, 32, 34))
    drawing.glow((640, 660), (210, 34), (20, 8, 8), 0.5)


def _shelf(drawing: Drawing) -> None:
    drawing.fill(rounded(36, 70, 404, 566, 6), (92, 58, 34), (62, 38, 22))
    random = np.random.default_rng(8)
    for shelf in range(4):
        top, floor = 86 + shelf * 120, 190 + shelf * 120
        drawing.fill(rectangle(52, top, 388, floor), (44, 28, 18), (58, 38, 26))
        x = 58.0
        while x < 362:
            width, height = float(random.uniform(13, 27)), float(random.uniform(62, 96))
            colour = SPINES[int(random.integers(len(SPINES)))]
            if random.random() < 0.06:
                x += width
                continue
            drawing.fill(
                rectangle(x, floor - height, x + width - 1.5, floor),
                shaded(colour, 1.05),
                shaded(colour, 0.6),
                along=(1, 0.2),
            )
            for at in (0.14, 0.8):
                drawing.fill(
                    rectangle(x + 2, floor - height * at, x + width - 3, floor - height * at + 3),
                    (230, 206, 140),
                    opacity=0.6,
                )
            x += width
        drawing.fill(rectangle(44, floor, 396, floor + 14), (122, 80, 48), (80, 50, 30))


def _window(drawing: Drawing) -> None:
    drawing.fill(rectangle(986, 84, 1220, 392), (226, 218, 200), (190, 180, 160))
    drawing.fill(rectangle(1000, 98, 1206, 378), (22, 30, 58), (58, 62, 96))
    drawing.fill(ellipse((1154, 150), 22), (246, 240, 214))
    drawing.glow((1154, 150), (80, 80), (220, 220, 230), 0.35, rectangle(1000, 98, 1206, 378))
    for x, y in ((1030, 130), (1078, 176), (1046, 236), (1176, 232), (1120, 118), (1092, 290)):
        drawing.fill(ellipse((x, y), 1.8), (240, 240, 236))
    drawing.fill(rectangle(1099, 98, 1107, 378), (216, 208, 190))
    drawing.fill(rectangle(1000, 234, 1206, 242), (216, 208, 190))
    for left, right, inner in ((950, 1016, 1034), (1256, 1190, 1172)):
        edge = curve(
            [
                (inner, 64),
                (0.4 * inner + 0.6 * right, 170),
                (right, 262),
                (0.6 * inner + 0.4 * right, 350),
                (inner, 436),
            ]
        )
        curtain = np.concatenate([polygon((left, 436), (left, 64)), edge])
        drawing.fill(curtain, (150, 96, 62), (96, 56, 38), along=(1, 0.2))
        for part in (0.25, 0.5, 0.75):
            fold = stroke(
                [
                    (left + (inner - left) * part, 64),
                    (left + (right - left) * part, 262),
                    (left + (inner - left) * part, 436),
                ],
                5,
            )
            drawing.fill(fold, (70, 40, 28), opacity=0.4, within=curtain)
    drawing.fill(rounded(936, 58, 1270, 70, 5), (96, 62, 36), (60, 38, 22))


def _lamp(drawing: Drawing) -> None:
    drawing.glow((906, 270), (430, 420), (255, 214, 130), 0.5)
    drawing.fill(stroke([(906, 300), (906, 620)], 9), (168, 128, 66), (96, 70, 34), along=(1, 0))
    drawing.fill(ellipse((906, 626), 56, 13), (150, 112, 58), (86, 62, 30))
    drawing.fill(
        polygon((866, 190), (946, 190), (984, 300), (828, 300)), (255, 240, 196), (244, 198, 112)
    )
    drawing.fill(ellipse((906, 300), 78, 9), (255, 250, 226))
    drawing.fill(ellipse((906, 190), 40, 5), (230, 196, 130))
    drawing.fill(rounded(1004, 462, 1170, 476, 5), (128, 80, 44), (84, 50, 26))
    for x, splay in ((1022, -8), (1152, 8)):
        leg = stroke([(x, 476), (x + splay, 636)], 10)
        drawing.fill(leg, (110, 68, 38), (72, 42, 22), along=(1, 0))
    drawing.fill(rounded(1070, 424, 1108, 462, 6), (226, 232, 232), (160, 170, 172), along=(1, 0.2))
    drawing.fill(stroke([(1108, 434), (1122, 442), (1108, 452)], 5), (190, 198, 200))
    drawing.fill(rounded(1026, 444, 1064, 462, 2), (150, 52, 46), (104, 36, 32))
