"""The gym of the Squat: mirror, rack, dumbbells, a bench. No Django here."""

from __future__ import annotations

from simulation.local.canvas import Drawing
from simulation.local.outlines import ellipse, polygon, rectangle, rounded, stroke


def draw_gym() -> Drawing:
    """Return the gym: mirror, rack, dumbbells, a bench and the lights."""
    drawing = Drawing()
    _hall(drawing)
    _mirror(drawing)
    _dumbbells(drawing)
    _rack(drawing)
    _bench(drawing)
    return drawing


def _hall(drawing: Drawing) -> None:
    drawing.fill(rectangle(0, 0, 1280, 560), (88, 96, 106), (126, 132, 138))
    for y in range(30, 560, 44):
        drawing.fill(rectangle(0, y, 1280, y + 2), (60, 66, 74), opacity=0.35)
    drawing.fill(rectangle(0, 548, 1280, 720), (52, 54, 60), (28, 29, 33))
    drawing.fill(rectangle(0, 542, 1280, 552), (34, 36, 40))
    for x in range(-900, 2300, 160):
        drawing.fill(
            stroke([(640 + (x - 640) * 0.62, 552), (x, 720)], 2), (20, 20, 24), opacity=0.7
        )
    for y in (588, 640):
        drawing.fill(rectangle(0, y, 1280, y + 2), (20, 20, 24), opacity=0.6)
    drawing.fill(
        polygon((250, 600), (950, 600), (1040, 704), (160, 704)), (108, 78, 54), (76, 54, 38)
    )
    drawing.fill(
        polygon((250, 600), (950, 600), (1040, 704), (160, 704)), (255, 240, 210), opacity=0.06
    )
    for left in (140, 540, 940):
        drawing.fill(rounded(left, 14, left + 200, 30, 6), (255, 255, 246))
        drawing.glow((left + 100, 24), (240, 120), (240, 246, 255), 0.4)
    drawing.glow((600, 690), (330, 40), (10, 10, 12), 0.5)


def _mirror(drawing: Drawing) -> None:
    drawing.fill(rectangle(26, 84, 412, 506), (48, 52, 58))
    for left, right in ((34, 218), (222, 404)):
        drawing.fill(
            rectangle(left, 92, right, 498), (178, 196, 208), (120, 136, 148), along=(0.4, 1)
        )
        drawing.fill(rectangle(left, 420, right, 498), (84, 92, 102), (66, 72, 80))
        drawing.fill(rectangle(left + 20, 104, right - 30, 112), (255, 255, 250), opacity=0.8)
        for shift, width in ((30, 46), (100, 16)):
            drawing.fill(
                polygon(
                    (left + shift + 70, 92),
                    (left + shift + 70 + width, 92),
                    (left + shift + width - 60, 498),
                    (left + shift - 60, 498),
                ),
                (255, 255, 255),
                opacity=0.16,
                within=rectangle(left, 92, right, 498),
            )


def _dumbbells(drawing: Drawing) -> None:
    for y in (436, 506):
        drawing.fill(rounded(48, y + 18, 388, y + 30, 4), (62, 64, 70), (34, 36, 40))
        for i in range(6):
            x = 78 + i * 54
            size = 12 + 1.4 * i
            drawing.fill(rectangle(x - 14, y + 2, x + 14, y + 8), (170, 174, 178), (110, 114, 118))
            for side in (-1, 1):
                drawing.fill(
                    rounded(x + side * 15 - 6, y + 5 - size, x + side * 15 + 6, y + 5 + size, 4),
                    (74, 76, 82),
                    (26, 27, 30),
                )
    for x in (58, 378):
        drawing.fill(rectangle(x - 5, 430, x + 5, 572), (46, 48, 54))


def _rack(drawing: Drawing) -> None:
    steel, dark = (204, 58, 48), (132, 34, 30)
    drawing.fill(rounded(410, 78, 790, 98, 4), steel, dark)
    for x in (428, 772):
        drawing.fill(rounded(x - 15, 66, x + 15, 600, 4), steel, dark, along=(1, 0.1))
        for y in range(100, 560, 27):
            drawing.fill(ellipse((x, y), 4), (40, 20, 20))
        drawing.fill(rounded(x - 46, 588, x + 46, 606, 5), dark, (80, 22, 20))
        drawing.fill(
            polygon(
                (x - 18, 262),
                (x + 18, 262),
                (x + 18, 292),
                (x + 30, 292),
                (x + 30, 272),
                (x + 40, 272),
                (x + 40, 304),
                (x - 18, 304),
            ),
            (60, 62, 68),
            (34, 36, 40),
        )


def _bench(drawing: Drawing) -> None:
    drawing.glow((1072, 690), (190, 26), (0, 0, 0), 0.5)
    for x in (974, 1170):
        drawing.fill(rectangle(x - 8, 560, x + 8, 690), (80, 84, 90), (40, 42, 48), along=(1, 0))
    drawing.fill(rounded(944, 540, 1200, 572, 12), (44, 46, 54), (22, 23, 28))
    drawing.fill(rounded(952, 542, 1192, 550, 4), (255, 255, 255), opacity=0.12)
    drawing.fill(rounded(1206, 606, 1232, 690, 8), (72, 160, 190), (36, 96, 124), along=(1, 0))
    drawing.fill(rounded(1212, 592, 1226, 610, 3), (30, 32, 38))
