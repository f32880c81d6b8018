// `np.linalg`: linear algebra.
export { norm, type NormOrder } from "./norm.js";
export { qr } from "./qr.js";
