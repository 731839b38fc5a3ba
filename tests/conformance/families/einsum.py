# SPDX-License-Identifier: Apache-2.0
"""Einsum: equations of one, two and more operands, repeated labels, the ellipsis, constant factors."""

import numpy as np

from build import node
from casebook import Case, by_numpy, exact, i64, integers, normal, recurrent
from families.sequences import DEFAULT, GATES, stacked

# name, equation, shapes
EQUATIONS = [
    # One operand: order, sums, diagonals.
    ("transpose", "bij->jbi", [(2, 3, 5)]),
    ("transpose_implicit", "ba", [(3, 17)]),
    ("sum_between", "ijk->ki", [(3, 17, 5)]),
    ("diagonal", "ii->i", [(5, 5)]),
    ("diagonal_inside", "iji->ji", [(5, 3, 5)]),
    ("trace", "ii->", [(7, 7)]),
    ("scalar", "->", [()]),
    ("ellipsis_alone", "b...->...b", [(2, 3, 5)]),
    ("ellipsis_sum", "...i->...", [(2, 3, 5)]),
    # Two operands without a common sum.
    ("outer_turned", "i,j->ji", [(5,), (7,)]),
    ("elementwise_turned", "ij,ji->ji", [(3, 5), (5, 3)]),
    ("sum_of_one", "ij,k->ik", [(3, 5), (4,)]),
    ("by_scalar", "ij,->ij", [(3, 5), ()]),
    # Two operands and a sum.
    ("product_implicit", "ij,jk", [(3, 4), (4, 5)]),
    ("product_turned", "ij,jk->ki", [(3, 4), (4, 5)]),
    ("dot", "i,i->", [(17,), (17,)]),
    ("sum_of_both", "bij,ij->b", [(2, 3, 5), (3, 5)]),
    ("batch_turned", "bij,bjk->bki", [(2, 3, 5), (2, 5, 4)]),
    ("batch_between", "ibj,kbj->bik", [(3, 2, 5), (4, 2, 5)]),
    ("capital", "iJ,Ji->J", [(3, 5), (5, 3)]),
    ("diagonal_of_a_factor", "iij,j->i", [(3, 3, 5), (5,)]),
    ("scores_keras", "aecd,abcd->acbe", [(2, 6, 3, 5), (2, 4, 3, 5)]),
    ("relative_positions", "bhld,lrd->bhlr", [(2, 3, 4, 5), (4, 6, 5)]),
    ("two_sums_apart", "iajb,bka->ijk", [(2, 3, 4, 5), (5, 2, 3)]),
    ("ellipsis_broadcast", "...ij,...jk->...ik", [(4, 2, 3, 5), (2, 5, 4)]),
    ("ellipsis_repeated", "...ij,...jk->...ik", [(4, 1, 3, 5), (1, 2, 5, 4)]),
    ("ellipsis_implicit", "...ij,j...", [(2, 3, 5), (5, 2)]),
    ("seven_axes", "abcdef,abcdgf->dgcbae", [(2, 1, 3, 2, 3, 2), (2, 1, 3, 2, 2, 2)]),
    # More.
    ("chain", "ij,jk,kl->il", [(3, 5), (5, 4), (4, 7)]),
    ("bilinear", "bn,anm,bm->ba", [(2, 3), (4, 3, 5), (2, 5)]),
    ("sum_over_three", "bi,bi,bi->b", [(2, 17), (2, 17), (2, 17)]),
]

# name, index of the constant factor, equation, shapes
CONSTANTS = [
    ("product_const_left", 0, "ij,jk->ik", [(3, 17), (17, 5)]),
    ("project_keras", 1, "abc,cde->abde", [(2, 7, 16), (16, 3, 5)]),
    ("join_turned", 1, "abcd,edc->abe", [(2, 7, 3, 5), (16, 5, 3)]),
    ("project_turned", 1, "btd,hkd->bhtk", [(2, 7, 16), (3, 5, 16)]),
    ("dense_layer", 1, "...x,xy->...y", [(2, 3, 5), (5, 33)]),
    ("heads_const", 1, "bhtd,hde->bhte", [(2, 3, 4, 5), (3, 5, 6)]),
    ("diagonal_const", 1, "bi,jji->bj", [(2, 5), (3, 3, 5)]),
]


def _of(equation, *operands):
    """NumPy's einsum in double."""
    return np.einsum(equation, *(np.asarray(x, np.float64) for x in operands))


def _equations():
    for name, equation, shapes in EQUATIONS:
        yield Case(f"einsum/{name}",
                   [normal(f"{name}{i}", *shape) for i, shape in enumerate(shapes)],
                   lambda *x, equation=equation: node("Einsum", 7, x, equation=equation),
                   reference=lambda *x, equation=equation: _of(equation, *x), note=equation)
    for name, at, equation, shapes in CONSTANTS:
        operands = [normal(f"{name}{i}", *shape) for i, shape in enumerate(shapes)]
        constant = operands.pop(at)
        yield Case(f"einsum/{name}", operands,
                   lambda *x, equation=equation, at=at, constant=constant: node(
                       "Einsum", 7, [*x[:at], constant, *x[at:]], equation=equation),
                   reference=lambda *x, equation=equation, at=at, constant=constant: _of(
                       equation, *x[:at], constant, *x[at:]), note=equation)


def _integers():
    chosen = ("sum_between", "trace", "outer_turned", "elementwise_turned", "product_turned",
              "batch_between", "ellipsis_broadcast", "chain")
    for name, equation, shapes in EQUATIONS:
        if name not in chosen:
            continue
        yield exact(f"einsum/i32_{name}",
                    [integers(f"ei{name}{i}", -50, 50, *shape) for i, shape in enumerate(shapes)],
                    lambda *x, equation=equation: node("Einsum", 7, x, equation=equation),
                    lambda *x, equation=equation: np.einsum(equation, *x), note=equation)
    far = [integers(f"einsum_far{i}", -2**40, 2**40, 3, 5, dtype=np.int64) for i in range(2)]
    yield exact("einsum/i64", far, lambda a, b: node("Einsum", 7, [a, b], equation="ij,kj->ik"),
                lambda a, b: a @ b.T, **by_numpy("Sums of products wrap around in 64 bits; OpenVINO's "
                                                 "CPU device computes them in 32."))
    weights = integers("einsum_const", -9, 9, 5, 17)
    yield exact("einsum/i32_dense_layer", [integers("einsum_dense", -9, 9, 2, 3, 5)],
                lambda x: node("Einsum", 7, [x, weights], equation="...x,xy->...y"),
                lambda x: x @ weights)


def _networks():
    def layer(x):
        weights, bias = normal("edl", 6, 3, 5), normal("edlb", 3, 5)
        y = node("Einsum", 7, [x, weights], equation="abc,cde->abde")
        return node("Relu", 1, [node("Add", 1, [y, bias])])

    yield Case("einsum/dense_with_bias", [normal("edlx", 2, 4, 6)], layer,
               reference=lambda x: np.maximum(
                   _of("abc,cde->abde", x, normal("edl", 6, 3, 5)) + normal("edlb", 3, 5), 0))

    def of_a_sequence(x):
        w, r, b = stacked("eos", 1, GATES["GRUSequence"], 6, 8)
        hidden = node("GRUSequence", 5, [x, np.zeros((2, 1, 8), np.float32),
                                         np.full(2, 12, np.int32), w, r, b],
                      hidden_size=8, direction="forward", activations=DEFAULT["GRUSequence"])
        hidden = node("Squeeze", 1, [hidden, i64(1)])
        projected = node("Einsum", 7, [hidden, normal("eosw", 8, 2, 5)], equation="btd,dhk->bhtk")
        shifted = node("Add", 1, [projected, normal("eosb", 2, 1, 5)])
        return node("Einsum", 7, [shifted, shifted], equation="bhtk,bgtk->bthg")

    yield recurrent("einsum/of_a_sequence", [normal("eosx", 2, 12, 6)], of_a_sequence)


def cases():
    yield from _equations()
    yield from _integers()
    yield from _networks()
