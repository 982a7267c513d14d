"""``pb.interop.torch``: tensors in and out, gradients of any order, and what is refused."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

import pullback as pb
from pullback.core.waiting import join

function = pb.interop.torch.function


def soft(x, w):
    h = np.tanh(x @ w)
    return np.sum(h * h, axis=1)


def rays(p, n):
    total = 0.0
    for k in range(n):
        total = total + math.sin(k * p["a"]) * np.sum(p["b"] ** 2)
    return total, p["b"] * total


def tensors(*shapes: tuple[int, ...], dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    torch.manual_seed(len(shapes))
    return [torch.randn(s, dtype=dtype, requires_grad=True) for s in shapes]


def test_values_and_gradients_are_those_of_torch() -> None:
    x, w = tensors((5, 3), (3, 2))
    ours = function(soft)(x, w)
    theirs = (torch.tanh(x @ w) ** 2).sum(1)
    torch.testing.assert_close(ours, theirs)
    weights = torch.arange(5.0, dtype=torch.float64)
    for a, b in zip(torch.autograd.grad(ours @ weights, (x, w)),
                    torch.autograd.grad(theirs @ weights, (x, w)), strict=True):  # fmt: skip
        torch.testing.assert_close(a, b)


def test_gradcheck_of_first_and_second_order() -> None:
    x, w = tensors((4, 3), (3, 2))
    assert gradcheck(function(soft), (x, w))
    assert gradgradcheck(function(soft), (x, w))


def test_structures_and_numbers() -> None:
    a, b = tensors((), (3,))
    f = function(rays)

    def flat(a: torch.Tensor, b: torch.Tensor) -> Any:
        return f({"a": a, "b": b}, 3)

    assert gradcheck(flat, (a, b)) and gradgradcheck(flat, (a, b))
    total, scaled = flat(a, b)
    assert total.shape == () and scaled.shape == (3,)


def test_third_derivatives() -> None:
    (x,) = tensors(())
    y = function(lambda v: math.sin(v) * v)(x)
    for _ in range(3):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
    assert float(y) == pytest.approx(float(-3 * torch.sin(x) - x * torch.cos(x)), rel=1e-12)


def test_a_training_loop_that_mixes_both() -> None:
    torch.manual_seed(0)
    inner = torch.nn.Linear(2, 8).double()
    outer = torch.nn.Linear(8, 1).double()

    def bumps(h, width):
        return np.exp(-(h**2) / (2.0 * width**2))

    middle = function(bumps)
    width = torch.nn.Parameter(torch.tensor(1.0, dtype=torch.float64))
    x = torch.randn(64, 2, dtype=torch.float64)
    y = (x**2).sum(1, keepdim=True).cos()
    parameters = [*inner.parameters(), *outer.parameters(), width]
    optimiser = torch.optim.Adam(parameters, lr=0.03)
    losses = []
    for _ in range(150):
        optimiser.zero_grad()
        loss = ((outer(middle(inner(x), width)) - y) ** 2).mean()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.3 * losses[0] and width.grad is not None

    def all_torch() -> torch.Tensor:
        return ((outer(torch.exp(-(inner(x) ** 2) / (2 * width**2))) - y) ** 2).mean()

    optimiser.zero_grad()
    all_torch().backward()
    wanted = [p.grad.clone() for p in parameters]
    optimiser.zero_grad()
    ((outer(middle(inner(x), width)) - y) ** 2).mean().backward()
    for p, g in zip(parameters, wanted, strict=True):
        torch.testing.assert_close(p.grad, g)


def test_memory_is_shared_and_left_alone() -> None:
    x = torch.zeros(4, dtype=torch.float64)
    seen = function(lambda v: v * 2.0)
    x[1] = 3.0
    assert seen(x)[1] == 6.0 and not seen(x).requires_grad
    kept = torch.ones(3, dtype=torch.float64, requires_grad=True)
    y = function(lambda v: v**2)(kept)
    with torch.no_grad():
        kept.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        y.sum().backward()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_dtypes_and_strides(dtype: torch.dtype) -> None:
    (x,) = tensors((4, 6), dtype=dtype)
    for view in (x, x.T, x[::2, 1:5], x[:, 0], x[:0]):
        y = function(lambda a: np.sum(np.sin(a)))(view)
        assert y.dtype == dtype
        (g,) = torch.autograd.grad(y, x)
        (wanted,) = torch.autograd.grad(torch.sin(view).sum(), x)
        assert g.dtype == dtype
        torch.testing.assert_close(g, wanted)


def test_what_needs_no_gradient_has_none() -> None:
    x, w = tensors((4, 3), (3, 2))
    labels = torch.tensor([0, 1, 1, 0])
    f = function(lambda x, w, k: np.sum((x @ w)[np.arange(4), k]))
    f(x.detach(), w, labels).backward()
    assert x.grad is None and w.grad is not None and labels.grad is None
    y = function(lambda x: (np.sum(x), np.argmax(x)))(x.detach()[0].requires_grad_())
    assert y[0].requires_grad and not y[1].requires_grad and y[1].dtype == torch.int64


def test_errors_come_out_as_they_are() -> None:
    def f(x):
        if x[0] > 0.0:
            raise ValueError("positive")
        return np.sum(x)

    x = torch.tensor([-1.0, 2.0], dtype=torch.float64, requires_grad=True)
    function(f)(x).backward()
    with pytest.raises(ValueError, match="positive"):
        function(f)(-x)
    with pytest.raises(ValueError):
        function(soft)(torch.ones(2, 3), torch.ones(4, 2))


@pytest.mark.parametrize(
    "x, text",
    [
        (torch.ones(3, dtype=torch.bfloat16), "bfloat16"),
        (torch.ones(3, dtype=torch.float16), "float16"),
        (torch.eye(3).to_sparse(), "sparse"),
        (torch.ones(3, device="meta"), "device meta"),
    ],
    ids=str,
)
def test_what_numpy_cannot_see_is_refused(x: torch.Tensor, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        function(lambda v: v * 2.0)(x)


def test_complex_tensors_are_refused() -> None:
    with pytest.raises(pb.PullbackError):
        function(lambda v: v * 2.0)(torch.ones(3, dtype=torch.complex128))


def test_threads() -> None:
    f, wrong = function(soft), []

    def work(seed: int) -> None:
        g = torch.Generator().manual_seed(seed)
        for _ in range(30):
            x = torch.randn(6, 3, dtype=torch.float64, generator=g).requires_grad_()
            w = torch.randn(3, 2, dtype=torch.float64, generator=g)
            (found,) = torch.autograd.grad(f(x, w).sum(), x)
            (wanted,) = torch.autograd.grad((torch.tanh(x @ w) ** 2).sum(), x)
            if not torch.allclose(found, wanted):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        join(t)
    assert not wrong
