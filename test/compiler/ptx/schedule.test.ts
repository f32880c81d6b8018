// What programs say about how they run on a GPU.
import { expect, it } from "vitest";
import { debug, lax, np, type Array } from "vibe-rl/array";
import { dumpText, ptxRenderer } from "../../../src/compiler/index.js";
import { compileFor } from "../forms.js";

const scheduleOf = (multiprocessors: number, f: (x: Array) => unknown, x: Array): string =>
  dumpText("schedule", compileFor(ptxRenderer({ multiprocessors, sharedBytes: 2 ** 16 }))(f, x))?.text ?? "";

/** Names without numbers of values, and no kernel's number. */
const plain = (text: string): string[] =>
  text
    .replaceAll(/\b([a-zA-Z]\w*)_\d+\b/g, "$1")
    .replaceAll(/^( *)\d+ k\d+_/gm, "$1")
    .trimEnd()
    .split("\n");

it("shows loops, branches, prints and reductions of one block where they are", () => {
  const f = (x: Array) => {
    const count = lax.whileLoop(
      (i: Array) => i.less(10),
      (i: Array) =>
        lax.cond(
          i.less(3),
          (j: Array) => j.add(2),
          (j: Array) => j.add(1),
          i,
        ),
      np.int32(0),
    );
    debug.print("count {}", count);
    return [x.sum(), np.sort(x.slice(":300")), np.sort(x.slice(":100"))];
  };
  const lines = plain(scheduleOf(1, f, np.ones([1000])));
  expect(lines.slice(0, 4)).toEqual([
    "1 block of 512 threads",
    expect.stringMatching(/^[\d,]+ bytes of shared memory in each block \(s\)$/),
    expect.stringMatching(/^[\d,]+ bytes of its own for each block \(o\)$/),
    "",
  ]);
  const from = lines.indexOf("while:");
  const touches: unknown = expect.stringMatching(/^ +reads /);
  expect(lines.slice(from, from + 15)).toEqual([
    "while:",
    "  block meets",
    "  points_less: loop, 1 point, by 1 thread",
    touches,
    "  block meets",
    "do:",
    "  block meets",
    "  points_convert: loop, 1 point, by 1 thread",
    touches,
    "  block meets",
    "  case 0 of 2:",
    "    points_add: loop, 1 point, by 1 thread",
    touches,
    "  case 1 of 2:",
    "    points_add: loop, 1 point, by 1 thread",
  ]);
  expect(lines).toContain("print message 0");
  expect(lines).toContainEqual(
    expect.stringMatching(/reduction, 1 of 1000 elements, each by \d+ lanes x \d warps?/),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(/sort of 1 x 300 by buckets, one lane after the other$/),
  );
  expect(lines).toContainEqual(expect.stringMatching(/sort of 1 x 100 by counting, an element per thread$/));
});

it("shows what blocks do together", () => {
  const f = (x: Array) => {
    const y = np.tanh(x.matmul(x.T)).matmul(x);
    return [y.sub(y.mean()), np.sort(y.reshape([-1]))];
  };
  const lines = plain(scheduleOf(4, f, np.ones([128, 32])));
  expect(lines[0]).toBe("4 blocks of 256 threads");
  const after = (line: string, count: number) => {
    const from = lines.indexOf(line);
    expect(from).toBeGreaterThan(0);
    return lines.slice(from + 1, from + 1 + count);
  };
  // What is computed to be exchanged is where others read it.
  expect(lines).toContainEqual(expect.stringMatching(/writes reduceSum \(x\)/));
  expect(after("psum: all-reduce (add), each block all of it, 4 bytes of each block", 1)).toEqual([
    expect.stringMatching(/reads reduceSum \(x\); writes psum \(s\)/),
  ]);
  expect(after("sort: sort of 4096 by all blocks, each deals out its part", 7)).toEqual([
    expect.stringMatching(/reads allGather \(c\); writes sort \(c\); works in \d+ bytes \(s\)$/),
    "all blocks meet",
    "sort: each sorts what it is dealt",
    "all blocks meet",
    "where that was too much for a block, the first sorts alone:",
    "  sort: a network of all keys",
    "  all blocks meet",
  ]);
  expect(lines).toContain("result0: result, each block a share: 4096 elements, 4 per thread");
});

it("shows what few threads do by themselves, and loops that one warp is alone in", () => {
  const f = (x: Array) => {
    const halves = (y: Array, length: number) =>
      lax.scan((c: Array) => [c.mul(0.5).add(1), null], y, null, { length })[0];
    return halves(x, 9).add(halves(x.add(1), 7));
  };
  const lines = plain(scheduleOf(1, f, np.ones([4])));
  const loops = lines.filter((line) => line.startsWith("for "));
  expect(loops).toEqual([
    expect.stringMatching(/ < 9, warp \d+ alone:$/),
    expect.stringMatching(/ < 7, warp \d+ alone:$/),
  ]);
  // Neither waits for the other.
  const [first, second] = loops.map((line) => lines.indexOf(line));
  expect(lines.slice(first, second)).not.toContain("block meets");
  expect(lines.slice(first, second)).toContainEqual(expect.stringMatching(/^ {2}warp \d+ meets$/));
});

it("has more threads for larger products", () => {
  const product = (extent: number) =>
    plain(
      scheduleOf(
        1,
        (x) => lax.foriLoop(0, 3, (_, y: Array) => np.tanh(y.matmul(x)), x),
        np.ones([extent, extent]),
      ),
    )[0];
  expect([product(32), product(128)]).toEqual(["1 block of 256 threads", "1 block of 512 threads"]);
});

it("shows kernels of one form as one", () => {
  const f = (x: Array) => {
    const parts = [x, x.slice(":5"), x.slice(":40"), x.slice(":100")];
    return parts.map((part) => np.tanh(part.mul(2)));
  };
  const lines = plain(scheduleOf(1, f, np.ones([200])));
  expect(lines).toContainEqual(expect.stringMatching(/_x4: loop, 448 points of 4 kernels, by 448 threads$/));
});
