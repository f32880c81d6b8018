// How long it takes to trace and simplify programs: npm run bench -- tracing
import { grad, jit, np, registerBackend } from "vibe-rl/array";

// A device that accepts every program and runs none, so that only tracing and simplifying are timed.
registerBackend(
  { name: "none", accepts: () => true, compile: () => ({ run: () => [np.zeros([])] }) },
  { isDefault: false },
);

/** A function that records about `count` equations. */
const chain = (count) => (x) => {
  let y = x;
  for (let step = 0; step < count / 5; step++) y = np.tanh(y.mul(1.5).add(x)).sub(y.mul(y));
  return y.sum();
};

/** Milliseconds of the first call of a fresh jit: trace, simplify, hand to the device. */
function time(f) {
  const start = performance.now();
  jit(f, { device: "none" })(np.ones([8, 8]));
  return performance.now() - start;
}

const cases = [
  ["5,000 equations, first in the process", chain(5000), 1],
  ["5,000 equations", chain(5000), 5],
  ["20,000 equations", chain(20_000), 5],
  ["gradient of 1,000 equations (about 3,200)", grad(chain(1000)), 5],
  ["gradient of 4,000 equations (about 12,800)", grad(chain(4000)), 5],
];
for (const [label, f, repeats] of cases) {
  const times = Array.from({ length: repeats }, () => time(f)).sort((a, b) => a - b);
  console.log(`${label.padEnd(44)} ${times[Math.floor(repeats / 2)].toFixed(1).padStart(7)} ms`);
}
