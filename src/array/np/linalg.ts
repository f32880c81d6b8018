// `np.linalg`: linear algebra.
export { cholesky } from "./linalg/cholesky.js";
export { det, slogdet } from "./linalg/determinants.js";
export { eigh, eigvalsh, type EighOptions } from "./linalg/eigh.js";
export { inv, matrixPower, solve } from "./linalg/solve.js";
export { matrixRank, pinv, svd, type SvdOptions } from "./linalg/svd.js";
export { triangularSolve, type TriangularOptions } from "./linalg/triangular.js";
export { norm, type NormOrder } from "./norm.js";
export { qr } from "./qr.js";
