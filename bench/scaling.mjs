// How compile time grows with the program: microseconds an operation, for programs that differ in length and in what
// they are made of: npm run bench -- scaling
import { grad, jit, lax, np, random } from "vibe-rl/array";
import { digits, row, timeOf } from "./measure.mjs";

/** What comes of doing something so many times. */
function repeated(times, x, f) {
  let result = x;
  for (let turn = 0; turn < times; turn++) result = f(result, turn);
  return result;
}

const kinds = {
  additions: (n) => (x) => repeated(n, x, (y) => y.add(0.5)),
  "views and additions": (n) => (x) => repeated(n, x, (y) => np.roll(y, 1, 0).add(1)),
  sums: (n) => (x) => repeated(n, x, (y) => y.sub(y.mean())),
  products: (n) => (x) => repeated(n, x.reshape([16, 16]), (y) => y.matmul(y).mul(0.01)),
  updates: (n) => (x) => repeated(n, x, (y, turn) => y.at(turn % 256).set(turn)),
  sorts: (n) => (x) => repeated(n, x, (y) => np.sort(y.neg())),
  branches: (n) => (x) =>
    repeated(n, x, (y, turn) =>
      lax.cond(
        y.slice(0).less(turn),
        (z) => z.add(1),
        (z) => z.mul(2),
        y,
      ),
    ),
  loops: (n) => (x) => repeated(n, x, (y) => lax.foriLoop(0, 3, (_, z) => z.add(1), y)),
  "random numbers": (n) => (x) =>
    repeated(n, x, (y, turn) => y.add(random.normal(random.foldIn(random.key(0), turn), [256]))),
  gradients: (n) => grad((x) => repeated(n, x, (y) => np.sin(y).mul(1.01)).sum()),
};

const lengths = [1000, 2000, 4000, 8000];
const widths = [22, ...lengths.map(() => 10), 14];
console.log(row(widths, ["µs an operation", ...lengths.map(String), "last to first"]));
for (const [name, make] of Object.entries(kinds)) {
  jit(make(lengths[0] + 1))(np.ones([256])); // JavaScript warm
  const each = lengths.map((n) => (timeOf(() => jit(make(n))(np.ones([256]))) / n) * 1000);
  console.log(row(widths, [name, ...each.map(digits), (each.at(-1) / each[0]).toFixed(2)]));
}
