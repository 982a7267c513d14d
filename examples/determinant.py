"""A determinant by minors, as in the school book, and its gradient: the matrix of cofactors.

The recursion takes ever smaller matrices. For the gradient there is Jacobi's formula.
"""

import numpy as np

import pullback as pb


def minor(matrix, column):
    """The matrix without its first row and one column."""
    n = len(matrix)
    small = np.zeros((n - 1, n - 1))
    for i in range(1, n):
        for j in range(n - 1):
            small[i - 1, j] = matrix[i, j if j < column else j + 1]
    return small


def determinant(matrix):
    if len(matrix) == 1:
        return matrix[0, 0]
    total, sign = 0.0, 1.0
    for column in range(len(matrix)):
        total += sign * matrix[0, column] * determinant(minor(matrix, column))
        sign = -sign
    return total


def inputs(n, seed):
    return determinant, (np.random.default_rng(seed).normal(size=(n, n)),)


def main():
    _, (matrix,) = inputs(6, 4)
    value, cofactors = pb.value_and_grad(determinant)(matrix)
    jacobi = np.linalg.det(matrix) * np.linalg.inv(matrix).T
    print(f"determinant {value:.6f}, by NumPy {np.linalg.det(matrix):.6f}")
    print(f"cofactors differ from Jacobi's formula by {np.abs(cofactors - jacobi).max():.1e}")
    assert np.allclose(cofactors, jacobi)


if __name__ == "__main__":
    main()
