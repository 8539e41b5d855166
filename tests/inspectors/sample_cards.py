"""Cards written by hand, for the tests of the renderers: the kinds that the inspectors make, and hostile words."""

from __future__ import annotations

from autogradlab.inspectors.parts import (
    Badge,
    Card,
    Drawing,
    Ellipse,
    Facts,
    Fold,
    Frame,
    Grid,
    Item,
    Note,
    Path,
    Rect,
    Shape,
    Table,
    Text,
    Tone,
)

HOSTILE = "<img src=x onerror=alert(1)> & \"quoted\" 'it' ]]> \x00 \u202eevil 变量"


def show_card() -> Card:
    return Card(
        kind="show",
        title="`w`",
        badges=(Badge("is_leaf ✓", "leaf"), Badge("requires_grad ✓", "node"), Badge("grad_fn None", "muted")),
        blocks=(
            Facts(
                (
                    ("shape", "(2, 2)"),
                    ("dtype", "float32"),
                    ("stride", "(2, 1) contiguous"),
                    ("version", "0"),
                    ("storage", "own, 16 B"),
                    ("shared with", "w_np"),
                )
            ),
            Grid("values", (("1.0", "2.0"), ("0.0", "2.0")), heat=((0.5, 1.0), (0.0, 1.0))),
            Grid("grad", (("1.", "1."), ("-0.", "-0.")), tone="gradient"),
        ),
    )


def why_card() -> Card:
    return Card(
        kind="show",
        title="`loss`",
        badges=(Badge("is_leaf ✗", "muted"), Badge("requires_grad ✓", "node"), Badge("grad_fn MeanBackward0", "node")),
        blocks=(
            Note(
                "a non-leaf's gradient is dropped once it has been used. Call `loss.retain_grad()` before backward, "
                "register a hook, or ask `autograd.grad`.",
                "gradient",
                lead="`.grad` is None and stays None:",
            ),
            Facts((("made by", "(y - y_pred).pow(2).mean()"), ("at", "cell [7], line 3"))),
        ),
    )


def chinese_card() -> Card:
    return Card(
        kind="show",
        title="`损失`",
        subtitle="标量",
        badges=(Badge("is_leaf ✗ 非叶子", "muted"), Badge("requires_grad ✓", "node")),
        blocks=(
            Note(
                "非叶子张量的梯度用完就丢弃了。请在 backward 之前调用 `损失.retain_grad()`，或者注册一个钩子，"
                "也可以直接用 `autograd.grad` 求它的梯度；这样得到的梯度会**直接返回**，不会累加到 `.grad` 里。",
                "gradient",
                lead="`.grad` 是 None，而且不会变：",
            ),
            Facts(
                (
                    ("形状", "(2, 2)"),
                    ("数据类型", "float32"),
                    ("由来", "(y - y_pred).pow(2).mean()"),
                    ("位置", "单元格 [7] 第 3 行"),
                )
            ),
            Table(("序号", "何时", "钩子"), (("1", "`PowBackward0` 之前", "`<lambda>`"), ("10", "累加之前", "翻倍"))),
        ),
        lang="zh",
    )


def hooks_card() -> Card:
    return Card(
        kind="hooks",
        title="Hooks in firing order",
        subtitle="`loss2`, `a`",
        blocks=(
            Table(
                ("#", "when", "hook", "gradient in", "returned", "effect"),
                (
                    ("1", "before PowBackward0", "`loss2 · <lambda> cell [3]`", "`tensor(1.)`", "`None`", "unchanged"),
                    (
                        "2",
                        "before AccumulateGrad",
                        "`a · double cell [4]`",
                        "`tensor([5.0, 2.5])`",
                        "`tensor([10., 5.])`",
                        "replaced",
                    ),
                ),
                tones=("plain", "hook"),
            ),
        ),
    )


def ledger_card() -> Card:
    shapes: list[Shape] = [Path(((60, 150), (690, 150)), "muted", width=1.0)]
    shapes += [Text(30, y, t, "muted", size=11, mono=True) for y, t in ((154, "0"), (104, "3"), (54, "6"))]
    bars = [
        (110, 100, 50, "backward #1", "+3 → 3"),
        (260, 50, 50, "backward #2", "+3 → 6"),
        (560, 100, 50, "backward #3", "+3 → 3"),
    ]
    items = [Item("axis", tuple(shapes))]
    for count, (x, y, high, name, change) in enumerate(bars):
        made: list[Shape] = [
            Rect(x, y, 70, high, 2, "gradient", solid=True),
            Text(x + 35, 172, name, mono=True),
            Text(x + 35, y - 7, change, "gradient", mono=True, bold=True),
        ]
        if count == 1:
            made.insert(0, Rect(x, 100, 70, 50, 2, "gradient", fill=True))
        items.append(Item(f"b{count}", tuple(made), f"{name}: {change}", (Note(f"{name} adds 3."),)))
    items.append(
        Item("z", (Path(((440, 40), (440, 150)), "node", dashed=True), Text(440, 172, "zero_()", mono=True)), "zero_()")
    )
    words = ("backward #1 adds 3: 3", "backward #2 adds 3: 6", "zero_(): 0", "backward #3 adds 3: 3")
    return Card(
        "accumulation",
        "`b.grad` over time",
        blocks=(Drawing(720, 190, tuple(items), words, "b.grad: 3, 6, zeroed, 3"),),
    )


def variable(
    name: str, x: float, y: float, value: str, word: str, tone: Tone = "plain", rx: float = 52, below: bool = False
) -> Item:
    shapes: list[Shape] = [
        Ellipse(x, y, rx, 28, tone),
        Text(x, y - 3, f"{name} = {value}", mono=True),
        Text(x, y + 13, word, "muted", size=10.5),
    ]
    if below:
        shapes.append(Text(x, y + 46, ".grad: None", "gradient", size=11, mono=True, bold=True, slot=f"{name}.grad"))
    return Item(f"v_{name}", tuple(shapes), f"{name}, {word}", (Facts((("value", value), ("is", word))),), name)


def operator(name: str, label: str, node: str, x: float, y: float, saves: str) -> Item:
    shapes = (
        Rect(x, y, 104, 46, 6, "node", fill=True),
        Text(x + 52, y + 19, label, mono=True),
        Text(x + 52, y + 36, node, "muted", size=10.5, mono=True, slot=f"{name}.node"),
        Text(x + 52, y + 63, saves, "muted", size=10.5, mono=True, slot=f"{name}.saves"),
    )
    return Item(
        name, shapes, f"{node}: {saves}", (Facts((("saved", saves),)), Note("its rule: `g·other`")), f"{node} {label}"
    )


def edge(name: str, points: tuple[tuple[float, float], ...], at: tuple[float, float]) -> Item:
    return Item(
        name,
        (
            Path(points, "gradient", curve=True, arrow=True),
            Text(*at, "", "gradient", size=12, mono=True, bold=True, slot=name),
        ),
    )


def step_card() -> Card:
    items = (
        variable("w", 90, 84, "[1.]", "leaf · requires_grad", "leaf", 78, True),
        variable("x", 90, 240, "[2.]", "leaf · requires_grad", "leaf", 78, True),
        operator("n2", "mul", "MulBackward0", 246, 92, "saved self=w other=x"),
        operator("n3", "add", "AddBackward0", 246, 204, "saves nothing"),
        variable("a", 436, 115, "[2.]", "non-leaf"),
        variable("b", 436, 227, "[2.]", "non-leaf"),
        operator("n1", "mul", "MulBackward0", 548, 148, "saved self=a other=b"),
        edge("e1", ((246, 108), (210, 106), (200, 92), (166, 90)), (192, 80)),
        edge("e2", ((246, 124), (196, 130), (210, 210), (160, 228)), (142, 184)),
        edge("e3", ((246, 227), (196, 226), (210, 140), (150, 104)), (226, 186)),
        edge("e4", ((384, 115), (372, 115), (362, 115), (350, 115)), (366, 106)),
        edge("e5", ((384, 227), (372, 227), (362, 227), (350, 227)), (366, 218)),
        edge("e6", ((548, 162), (510, 160), (520, 120), (488, 116)), (524, 124)),
        edge("e7", ((548, 180), (510, 182), (520, 224), (488, 226)), (524, 226)),
    )
    frames = (
        Frame("Nothing has run yet: the graph as `forward` left it.", "before backward"),
        Frame("The root gradient `[1.]` enters at `y`.", "root", (("n1", "waiting"),)),
        Frame(
            "`MulBackward0` → a: g·b = `[2.]`, b: g·a = `[2.]`; its saved tensors are freed.",
            "MulBackward0 runs",
            (("n1", "active"), ("e6", "active"), ("e7", "active")),
            (("e6", "2 = g·b"), ("e7", "2 = g·a"), ("n1.saves", "saved: freed")),
        ),
        Frame(
            "`MulBackward0` → w: g·x = `[4.]`, x: g·w = `[2.]`",
            "MulBackward0 runs",
            (
                ("n1", "done"),
                ("e6", "done"),
                ("e7", "done"),
                ("n2", "active"),
                ("e4", "done"),
                ("e1", "active"),
                ("e2", "active"),
            ),
            (
                ("n1.node", "MulBackward0 ✓"),
                ("e4", "2"),
                ("e1", "4 = g·x"),
                ("e2", "2 = g·w"),
                ("w.grad", ".grad: None, 4 waiting"),
                ("n2.saves", "saved: freed"),
            ),
            panel=(
                Note("**w is reached by two paths**; their gradients are summed before they are stored.", "muted"),
                Grid("to w", (("4.",),), "gradient"),
                Grid("to x", (("2.",),), "gradient"),
            ),
        ),
        Frame(
            "`AddBackward0` → w: g = `[2.]`",
            "AddBackward0 runs",
            (("n2", "done"), ("e1", "done"), ("e2", "done"), ("n3", "active"), ("e5", "done"), ("e3", "active")),
            (("n2.node", "MulBackward0 ✓"), ("e5", "2"), ("e3", "2 = g"), ("w.grad", ".grad: None, 4 + 2 waiting")),
        ),
        Frame(
            "AccumulateGrad: `w.grad` = `[6.]`, `x.grad` = `[2.]`",
            "AccumulateGrad",
            (("n3", "done"), ("e3", "done"), ("v_w", "active"), ("v_x", "active")),
            (("n3.node", "AddBackward0 ✓"), ("w.grad", ".grad: [6.]"), ("x.grad", ".grad: [2.]")),
        ),
    )
    words = ("y <- MulBackward0(a, b)", "a <- MulBackward0(w, x)", "b <- AddBackward0(w)")
    drawing = Drawing(
        664,
        300,
        items,
        words,
        "Graph of y = (w*x)*(w+1)",
        (Fold("n1", ("n3", "e5", "e3", "v_b", "e7"), "5 parts"),),
        zoom=True,
    )
    return Card("step", "`y.backward()`", blocks=(drawing,), frames=frames)


def failed_card() -> Card:
    items = (
        variable("w", 90, 60, "[1.]", "leaf", "leaf"),
        operator("n1", "bad", "BadBackward", 200, 37, "saves nothing"),
    )
    frames = (
        Frame("The root gradient enters."),
        Frame("`BadBackward` raised RuntimeError: no.", "failed", (("n1", "failed"),), tone="warning"),
    )
    return Card("step", "`y.backward()`", blocks=(Drawing(420, 130, items, ("w", "bad"), "Graph of y"),), frames=frames)


def watch_card() -> Card:
    return Card("watch", "`w`, `loss`", cards=(show_card(), why_card()))


def hostile_card() -> Card:
    item = Item("n1", (Rect(5, 5, 200, 40), Text(105, 30, HOSTILE, slot="s")), HOSTILE, (Note(HOSTILE),), HOSTILE)
    return Card(
        kind="show",
        title=HOSTILE,
        subtitle=HOSTILE,
        badges=(Badge(HOSTILE, "leaf"),),
        blocks=(
            Note(HOSTILE, "warning", HOSTILE),
            Facts(((HOSTILE, HOSTILE),)),
            Grid(HOSTILE, ((HOSTILE,),), more=HOSTILE),
            Table((HOSTILE, "b"), ((HOSTILE, HOSTILE),), caption=HOSTILE),
            Drawing(300, 60, (item,), (HOSTILE,), HOSTILE),
        ),
        frames=(Frame(HOSTILE, HOSTILE), Frame("then", texts=(("s", HOSTILE),), panel=(Note(HOSTILE),))),
    )


def big_card(nodes: int = 1000) -> Card:
    """A ladder of Nodes, and one frame for each."""
    items = []
    for k in range(nodes):
        x, y = 20 + 150 * (k % 40), 20 + 90 * (k // 40)
        items.append(operator(f"n{k}", "mul", f"MulBackward{k}", x, y, "saves nothing"))
        if k:
            items.append(
                edge(f"e{k}", ((x, y + 20), (x - 15, y + 20), (x - 30, y + 20), (x - 46, y + 20)), (x - 20, y + 12))
            )
    frames = tuple(
        Frame(f"`MulBackward{k}` runs.", f"Node {k}", ((f"n{k}", "active"), *(((f"n{k - 1}", "done"),) if k else ())))
        for k in range(nodes)
    )
    drawing = Drawing(
        20 + 150 * 40,
        40 + 90 * (nodes // 40 + 1),
        tuple(items),
        (f"{nodes} Nodes in a row",),
        "A long chain",
        zoom=True,
    )
    return Card("step", "`y.backward()`", blocks=(drawing,), frames=frames)


def cube_card() -> Card:
    grid = Grid(
        "`x`, values",
        (("1.", "2."), ("30.", "4."), ("5.", "nan")),
        heat=((0, 0.1), (1, 0.2), (0.3, float("nan"))),
        more="2 of 7 slices",
        heads=("[0]", "[10]", ""),
    )
    return Card("show", "`x`", blocks=(grid,))


CARDS = {
    "cube": cube_card,
    "show": show_card,
    "why": why_card,
    "zh": chinese_card,
    "hooks": hooks_card,
    "ledger": ledger_card,
    "step": step_card,
    "failed": failed_card,
    "watch": watch_card,
    "hostile": hostile_card,
}
