"""What Nodes say they saved (`_saved_*`), by name: that which PyTorch's classes of the same name say."""

from __future__ import annotations

from typing import Any

from autogradlab.ops.table.families import NODES, load_all

#: kernels that take other arguments than PyTorch's; most are of second derivatives
OTHERWISE = {
    "pad_to",
    "_conv",
    "_conv_by_input",
    "_conv_by_weight",
    "_reversed",
    "take_at",
    "grid_sampler_2d_backward",
    "grid_sampler_3d_backward",
    "_pack_rows",
    "index_select_backward",
    "masked_select_backward",
    "put_at",
    "place_at",
    "cut_to",
    # its logarithms of all paths are not kept
    "_ctc_loss",
}


def test_names_of_saved_values(torch: Any) -> None:
    load_all()
    compared, found = 0, {}
    for name, entries in NODES.items():
        theirs = getattr(torch._C._functions, name, None)
        if theirs is None:  # a kernel of ours alone
            continue
        wanted = {n[7:] for n in dir(theirs) if n.startswith("_saved_")}
        for entry in entries:
            if entry.name not in OTHERWISE:
                node = entry.node_class
                shown = {n for n in (*node.saved_names, *node.constants) if n}
                compared += 1
                if shown != wanted:
                    found[f"{name} of {entry.name}"] = {"missing": wanted - shown, "more": shown - wanted}
    assert not found
    assert compared > 450
