// Rows made orthonormal, each from those before it (Gram and Schmidt), in blocks so that nearly all of the work is
// matrix products. Everything is done twice: once leaves rounding errors.
import { lax, np, type Array } from "../array/index.js";

/** Rows of a block. */
const block = 64;
/** Matrices of up to so many elements stay in the cache while they are worked on row by row. */
const small = 2 ** 16;

/** Orthonormal rows that span what the given ones span, from the first on; there must not be more than columns. */
export function orthonormalized(given: Array): Array {
  const [rows, columns] = given.shape;
  if (rows <= block || rows * columns <= small) return rowByRow(given);
  const position = np.arange(rows);
  return lax.foriLoop(
    0,
    Math.ceil(rows / block),
    (iteration, vectors: Array) => {
      // The last block may hold rows that are done already: they stay as they are.
      const start = np.minimum(iteration.mul(block), rows - block);
      const isBefore = position.less(start);
      const apart = (some: Array): Array => {
        const shares = np.where(isBefore, some.matmul(vectors.T), 0);
        return rowByRow(some.sub(shares.matmul(vectors)));
      };
      const taken = lax.dynamicSlice(vectors, [start, 0], [block, columns]);
      return lax.dynamicUpdateSlice(vectors, apart(apart(taken)), [start, 0]);
    },
    given,
  );
}

function rowByRow(given: Array): Array {
  const position = np.arange(given.shape[0]);
  return lax.foriLoop(
    0,
    given.shape[0],
    (iteration, vectors: Array) => {
      const isBefore = position.less(iteration);
      const apart = (row: Array): Array =>
        row.sub(np.where(isBefore, vectors.matmul(row), 0).matmul(vectors));
      const row = apart(apart(lax.dynamicIndexInDim(vectors, iteration, 0, { keepdims: false })));
      return lax.dynamicUpdateIndexInDim(vectors, row.div(np.sqrt(np.square(row).sum())), iteration, 0);
    },
    given,
  );
}
