// Mistakes are refused with what was given, what was expected, and the user's file and line.
import { describe, expect, it } from "vitest";
import {
  ArrayError,
  debug,
  grad,
  jit,
  lax,
  nn,
  np,
  random,
  tree,
  valueAndGrad,
  vjp,
  vmap,
  type Array,
} from "vibe-rl/array";

const [three, four] = [np.ones([3]), np.ones([4])];

/** Each mistake with what its message must say. */
const mistakes: Record<string, readonly [mistake: () => unknown, says: RegExp]> = {
  // shapes
  "operands that do not broadcast": [() => three.add(four), /^add: shapes \[3\] and \[4\] do not broadcast/],
  "a product of unequal inner extents": [
    () => np.ones([2, 3]).matmul(np.ones([4, 5])),
    /matmul: cannot multiply float32\[2,3\] with float32\[4,5\].*extent 3.*4/,
  ],
  "a reshape that changes the size": [
    () => three.reshape([2, 2]),
    /reshape: cannot arrange the 3 elements of float32\[3\] as \[2,2\]/,
  ],
  "a shape that is not whole": [
    () => np.zeros([2.5]),
    /np.full: the shape must be a list of non-negative integers.*2.5/,
  ],
  "a traced shape": [
    () => jit((n: Array) => np.zeros([n as unknown as number]))(np.int32(3)),
    /the shape must be .* known while tracing, got Traced<int32>/,
  ],
  "ragged rows": [
    () => np.array([[1, 2], [3]]),
    /np.array: rows must have one shape: row 0 has \[2\], row 1 has \[1\]/,
  ],
  "joining unequal shapes": [
    () => np.stack([three, four]),
    /np.stack: arrays must have one shape, got float32\[3\] and float32\[4\]/,
  ],
  "an einsum that names too few axes": [
    () => np.einsum("i,ij->j", three, three),
    /einsum: "ij" names 2 axes, but operand 1 is float32\[3\]/,
  ],
  "an einsum of unequal extents": [() => np.einsum("i,i->", three, four), /axis i has extents 3 and 4/],
  "a convolution with the wrong channels": [
    () => lax.convGeneralDilated(np.ones([1, 4, 4, 2]), np.ones([2, 2, 3, 1]), [1, 1], "VALID"),
    /images float32\[1,4,4,2\] \(NHWC\) have 2 channels, but the kernel float32\[2,2,3,1\] \(HWIO\) takes 3/,
  ],
  "the largest of nothing": [() => np.zeros([0]).max(), /max: float32\[0\] has no elements along axis 0/],
  "an update of the wrong shape": [
    () => three.at(np.int32([0, 1])).set(four),
    /at\(\).set: float32\[4\] does not broadcast to \[2\]/,
  ],
  // dtypes
  "a bit operation on floats": [
    () => three.and(1),
    /^and: needs bool, uint8, uint32, int32; got float32\[3\]/,
  ],
  "a number that does not fit": [() => np.uint8([1]).add(300), /add: 300 does not fit uint8/],
  "a fraction into integers": [
    () => np.int32([1, 2]).at(0).set(0.5),
    /at\(\).set: 0.5 does not fit into an array of int32/,
  ],
  "floats into integers": [
    () => np.int32([1, 2]).at(0).set(np.float32(1)),
    /float32 does not fit into an array of int32/,
  ],
  "an unknown dtype": [
    () => np.zeros([2], { dtype: "float16" as never }),
    /unknown dtype "float16"; there are bool, uint8/,
  ],
  "the gradient of an integer": [
    () => grad((p: { n: Array }) => p.n.sum().astype("float32"))({ n: np.int32([1]) }),
    /grad: argument 0 at n is int32\[1\]; gradients exist for floats only/,
  ],
  "a list where an array is meant": [
    () => three.add([1, 2, 3] as never),
    /add: expected an array or a number, got a list of 3; wrap it in np.array/,
  ],
  "indexing with floats": [
    () => three.slice(np.array([1])),
    /slice: indices must be integers, got float32\[1\]; convert with .astype\("int32"\)/,
  ],
  "a mask as an index": [
    () => three.slice(three.greater(0)),
    /a bool mask .* not known while tracing; use np.where/,
  ],
  "a key that is none": [
    () => random.normal(np.array([1, 2])),
    /random.bits: needs a key, a uint32 array \[2\].*got float32\[2\]/,
  ],
  "a list as an update": [
    () => three.at(":").set([1, 2, 3] as never),
    /at\(\).set: expected an array or a number, got a list of 3/,
  ],
  "an unknown range": [
    () => three.slice({ begin: 1 } as never),
    /slice: cannot index with an object of class Object/,
  ],
  "a number out of range": [() => np.uint8([300]), /np.array: 300 does not fit uint8, which holds 0 to 255/],
  "an unknown mode": [
    () => np.pad(three, 1, { mode: "mirror" as never }),
    /pad: mode must be "constant" or "edge".*got "mirror"/,
  ],
  "a parameter larger than the draw": [
    () => random.uniform(random.key(0), [], { minval: three }),
    /random.uniform: a parameter of type float32\[3\] does not fit the shape \[\] to draw/,
  ],
  "options where the axis is meant": [
    () => three.sum({ keepdims: true } as never),
    /sum: axis must be a number, a list of numbers or null/,
  ],
  "a branch that is no function": [
    () => lax.cond(true, three as never, three as never),
    /lax.cond: every branch must be a function, got float32\[3\]/,
  ],
  "a body that is no function": [
    () => lax.scan(three as never, three, three),
    /lax.scan: the body must be a function/,
  ],
  "a function that is none": [() => vmap(three as never), /vmap: its first argument must be a function/],
  "a text that is none": [
    () => debug.print(three as never),
    /debug.print: the first argument must be a text/,
  ],
  // axes and indices
  "an axis out of range": [
    () => three.sum(1),
    /sum: axis 1 is out of range for 1 dimension; it must be -1 to 0/,
  ],
  "an axis twice": [() => np.ones([2, 2]).sum([0, -2]), /sum: axes \[0,0\] name an axis twice/],
  "a position out of range": [
    () => three.slice(3),
    /slice: index 3 is out of range for axis 0 of float32\[3\], which has extent 3/,
  ],
  "too many indices": [() => three.slice(0, 0), /slice: 2 indices given for float32\[3\], which has 1 axes/],
  "a range that is none": [() => three.slice("1-2"), /cannot read "1-2" as a range/],
  "squeezing a wide axis": [() => three.squeeze(0), /squeeze: axis 0 of float32\[3\] has extent 3, not 1/],
  "vmap over unequal extents": [
    () => vmap((a: Array, b: { c: Array }) => a.add(b.c))(three, { c: four }),
    /vmap: mapped axes must have one extent: argument \[0\] has 3, argument \[1\].c has 4/,
  ],
  "vmap over no axis": [() => vmap((a: Array) => a, [null])(three), /vmap: inAxes maps no axis at all/],
  "vmap axes that do not match": [
    () => vmap((a: { b: Array }) => a.b, [{ c: 0 }])({ b: three }),
    /vmap: inAxes\[0\] has a key c that the tree has not; it has b/,
  ],
  // trees
  "trees of different keys": [
    () =>
      tree.map((a: Array, b: Array) => a.add(b), { w: [three], b: three }, { w: [three, three], b: three }),
    /tree.map: trees differ at w: a list of 1 and a list of 2/,
  ],
  "a key missing": [
    () => tree.map((a: Array, b: Array) => a.add(b), { p: { w: three } }, { p: { v: three } }),
    /tree.map: trees differ at p.w: only the first tree has this key/,
  ],
  "a carry that changes its tree": [
    () => lax.scan((c: { a: Array }) => [{ b: c.a } as never, null], { a: three }, null, { length: 2 }),
    /lax.scan: the initial carry and the one the body returns differ at a: only the first tree has this key/,
  ],
  "a carry that changes its shape": [
    () => lax.scan((c: { a: Array }) => [{ a: c.a.slice(":2") }, null], { a: three }, null, { length: 2 }),
    /the carry at a enters the body as float32\[3\] and leaves it as float32\[2\]/,
  ],
  "a carry that changes its dtype": [
    () => lax.foriLoop(0, 3, (_, c: Array) => c.add(0.5), np.int32(0)),
    /the carry enters the body as int32 and leaves it as float32; it must keep its shape and dtype \(convert with astype\)/,
  ],
  "a body that returns one thing": [
    () => lax.scan((c: Array) => c as never, three, null, { length: 2 }),
    /lax.scan: the body must return \[carry, y\], got one array/,
  ],
  "a scan without a length": [
    () => lax.scan((c: Array) => [c, null], three, null),
    /xs has no arrays, so the option length must say/,
  ],
  "a scan over unequal lengths": [
    () => lax.scan((c: Array, x: { a: Array; b: Array }) => [c.add(x.a), x.b], three, { a: three, b: four }),
    /lax.scan: xs at b has 4 slices, but xs at a has 3/,
  ],
  "branches of different types": [
    () =>
      lax.cond(
        true,
        () => ({ a: three }),
        () => ({ a: four }),
      ),
    /lax.cond: the branches return float32\[4\] and float32\[3\] at a/,
  ],
  "a predicate that is no scalar": [
    () =>
      lax.cond(
        three.greater(0),
        () => three,
        () => three,
      ),
    /the predicate must be a scalar, got bool\[3\]/,
  ],
  "a test that is no bool": [
    () =>
      lax.whileLoop(
        (c: Array) => c,
        (c: Array) => c,
        three,
      ),
    /lax.whileLoop: the test must return one bool, got float32\[3\]/,
  ],
  "a loss that is no number": [
    () => grad((x: Array) => x.mul(2))(three),
    /grad: the function must return one float, got float32\[3\]; reduce it/,
  ],
  "hasAux without aux": [
    () => valueAndGrad((x: Array) => x.sum() as unknown as [Array, Array], { hasAux: true })(three),
    /with hasAux the function must return \[loss, aux\]/,
  ],
  "an argument that is not there": [
    () => grad((x: Array) => x.sum(), { argnums: 2 })(three),
    /argnums names argument 2, but the function was called with 1/,
  ],
  "a cotangent of the wrong shape": [
    () => vjp((x: Array) => x.mul(2), three)[1](four),
    /the cotangents must have the shapes of the values: at the root got float32\[4\] for float32\[3\]/,
  ],
  // tracing
  "an if on a traced comparison": [
    () =>
      jit(function step(x: Array) {
        return (x.sum() as unknown as number) > 0 ? x : x.neg();
      })(three),
    /Traced<float32> has no value while jit\(step\) is being traced.*np.where or lax.cond.*staticArgnums/,
  ],
  "reading a traced value": [
    () => jit((x: Array) => np.array(x.item()))(np.float32(1)),
    /^item: Traced<float32> has no value while jit/,
  ],
  "an async function": [
    () => jit(() => Promise.resolve(three))(),
    /jit: the result must hold arrays only|is a Promise/,
  ],
  "a result that is no array": [
    () => jit(() => ({ when: new Map() }))(),
    /jit: the result must hold arrays only, got an object of class Map at when/,
  ],
  "an argument that is no array": [
    () => jit((f: () => Array) => f())(() => three),
    /jit: argument 0 must hold arrays, numbers, booleans and strings only, got a function; name the argument in staticArgnums/,
  ],
  "a function among the arguments of grad": [
    () => grad((p: { f: () => Array }) => p.f())({ f: () => three }),
    /grad: argument 0 must hold arrays, numbers, booleans and strings only, got a function f at f/,
  ],
  "a string as the carry of a loop": [
    () => lax.scan((c: { name: string }) => [c, null], { name: "a" }, null, { length: 1 }),
    /lax.scan: the initial carry must hold arrays only, got "a" at name/,
  ],
  "reverse mode through whileLoop": [
    () =>
      grad((x: Array) =>
        lax.whileLoop(
          (c) => c.less(9),
          (c) => c.mul(2),
          x,
        ),
      )(np.float32(1)),
    /grad: reverse-mode differentiation does not work through lax.whileLoop.*Use lax.scan/,
  ],
  "an unknown device": [
    () => jit(() => three, { device: "abacus" })(),
    /there is no device "abacus"; there are interpreter/,
  ],
  "numClasses that is no number": [
    () => nn.oneHot(np.int32([1]), three as never),
    /oneHot: numClasses must be a whole number/,
  ],
};

describe("mistakes are named", () => {
  for (const [name, [mistake, says]] of Object.entries(mistakes)) {
    it(name, () => {
      expect(mistake).toThrow(ArrayError);
      expect(mistake).toThrow(says);
      // The user's line is here, in this file.
      expect(mistake).toThrow(/\(test\/array\/errors\.test\.ts:\d+:\d+\)$/);
    });
  }
});

describe("leaked values", () => {
  it("say which trace they come from, where it was, and where they were used", () => {
    let leak: Array | null = null;
    jit(function remember(x: Array) {
      leak = x.mul(2);
      return x;
    })(three);
    const use = () => (leak as unknown as Array).add(1);
    expect(use).toThrow(
      /^add: Traced<float32\[3\]> was made while tracing jit\(remember\) at test\/array\/errors\.test\.ts:\d+:\d+, and that trace is over.*Return it.*\(test\/array\/errors/,
    );
    expect(() => jit((x: Array) => x.add(leak as unknown as Array))(three)).toThrow(/that trace is over/);
    expect(() => jit((x: Array) => x)(leak as unknown as Array)).toThrow(/^jit: .*that trace is over/);
    expect(() => (leak as unknown as Array).item()).toThrow(/^item: .*that trace is over/);
  });

  it("are found when a loop body keeps its carry", () => {
    let leak: Array | null = null;
    lax.scan(
      (c: Array) => {
        leak = c;
        return [c, null];
      },
      three,
      null,
      { length: 1 },
    );
    expect(() => (leak as unknown as Array).sum()).toThrow(/was made while tracing the body of lax.scan/);
  });
});

describe("concrete scalars work with JavaScript's operators, others say what to use", () => {
  it("compares and converts", () => {
    expect(Number(np.float32(2.5))).toBe(2.5);
    expect((np.float32(2) as unknown as number) > 1).toBe(true);
    expect(String(np.int32([1, 2]))).toBe("[1 2]");
    expect(() => Number(three)).toThrow(/float32\[3\] is not one number; use array operations/);
  });
});
