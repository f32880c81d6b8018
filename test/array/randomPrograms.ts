// Random functions of a vector, for properties that hold for all programs. A function is a tree of JSON, so
// that fast-check can shrink and print it.
import fc from "fast-check";
import { grad, lax, nn, np, vmap, type Array } from "vibe-rl/array";

export type Expression =
  | { readonly op: "x" | "carry" | "index" }
  | { readonly op: "constant"; readonly value: number }
  | { readonly op: keyof typeof unary; readonly a: Expression }
  | { readonly op: keyof typeof binary; readonly a: Expression; readonly b: Expression }
  | { readonly op: "where" | "cond"; readonly a: Expression; readonly b: Expression; readonly c: Expression }
  | {
      readonly op: "scan" | "fori";
      readonly a: Expression;
      readonly body: Expression;
      readonly length: number;
    }
  | { readonly op: "while"; readonly a: Expression; readonly body: Expression }
  | {
      readonly op: "inner";
      readonly a: Expression;
      readonly body: Expression;
      readonly kind: "vmap" | "grad";
    };

/** Vectors to vectors of the same length, smooth. */
const unary = {
  sin: np.sin,
  tanh: np.tanh,
  sigmoid: nn.sigmoid,
  softplus: nn.softplus,
  neg: (x: Array) => x.neg(),
  flip: (x: Array) => np.flip(x),
  roll: (x: Array) => np.roll(x, 1, 0),
  half: (x: Array) => np.pad(x.slice(":-1"), [[1, 0]]),
  pick: (x: Array) => x.slice(np.arange(x.shape[0]).floorDivide(2)),
  scatter: (x: Array) => np.zerosLike(x).at(np.arange(x.shape[0]).floorDivide(2)).add(x),
  cumsum: (x: Array) => np.cumsum(x, 0).mul(0.3),
  total: (x: Array) => np.broadcastTo(x.mean(), x.shape),
  softmax: (x: Array) => nn.softmax(x),
  mix: (x: Array) =>
    np
      .outer(np.cos(np.arange(x.shape[0])).astype(x.dtype), x)
      .sum(0)
      .mul(0.2),
  matrix: (x: Array) => np.matmul(np.tanh(np.outer(x, x)), x).mul(0.2),
};

const binary = {
  add: (x: Array, y: Array) => x.add(y),
  sub: (x: Array, y: Array) => x.sub(y),
  mul: (x: Array, y: Array) => np.tanh(x).mul(y),
  div: (x: Array, y: Array) => x.div(y.mul(y).add(1)),
  stack: (x: Array, y: Array) => np.stack([x, y]).prod(0).mul(0.5),
};

interface Scope {
  readonly x: Array;
  readonly carry: Array;
  readonly index: Array;
  /** Whether a gradient is being taken around this, which cannot go through whileLoop. */
  readonly inGrad: boolean;
}

// Where functions change their course: numbers that sums of the constants below do not meet.
const threshold = 0.387123;
const limit = 1.987321;

export function evaluate(e: Expression, scope: Scope): Array {
  const run = (inner: Expression, changes: Partial<Scope> = {}) => evaluate(inner, { ...scope, ...changes });
  switch (e.op) {
    case "x":
      return scope.x;
    case "carry":
      return scope.carry;
    case "index":
      return np.broadcastTo(scope.index.astype(scope.x.dtype), scope.x.shape).mul(0.1);
    case "constant":
      return np.full(scope.x.shape, e.value, { dtype: scope.x.dtype });
    case "where":
      return np.where(run(e.a).greater(threshold), run(e.b), run(e.c));
    case "cond":
      return lax.cond(
        run(e.a).sum().greater(threshold),
        (carry: Array) => run(e.b, { carry }),
        (carry: Array) => run(e.c, { carry }).add(scope.x),
        scope.carry,
      );
    case "scan": {
      const [last, all] = lax.scan(
        (carry: Array, index: Array) => {
          const next = run(e.body, { carry, index });
          // A mean, not a sum: of large numbers the rounding alone is more than tests can tell from a mistake.
          return [np.tanh(next), next.mean()];
        },
        run(e.a),
        np.arange(e.length),
      );
      return last.add(all.sum().mul(0.1));
    }
    case "fori":
      return lax.foriLoop(0, e.length, (index, carry: Array) => run(e.body, { carry, index }), run(e.a));
    case "while": {
      const step = (index: Array, carry: Array) => run(e.body, { carry, index }).add(0.3);
      // Reverse mode has no way through whileLoop, and with its result held fixed the gradient would be of
      // another function than the one that is computed.
      if (scope.inGrad) return lax.foriLoop(0, 2, step, run(e.a));
      return lax.whileLoop(
        ({ turns, carry }) => turns.less(5).and(carry.sum().less(limit)),
        ({ turns, carry }) => ({ turns: turns.add(1), carry: step(turns, carry) }),
        { turns: np.int32(0), carry: run(e.a) },
      ).carry;
    }
    case "inner": {
      const value = run(e.a);
      if (e.kind === "grad") return grad((x: Array) => run(e.body, { x, inGrad: true }).sum())(value);
      return vmap((x: Array) => run(e.body, { x }))(np.stack([value, scope.x])).sum(0);
    }
    default:
      return e.op in unary
        ? unary[e.op as keyof typeof unary](run((e as { a: Expression }).a))
        : binary[e.op as keyof typeof binary](
            run((e as { a: Expression }).a),
            run((e as { b: Expression }).b),
          );
  }
}

/** The function of a vector that an expression stands for. */
export const toFunction =
  (expression: Expression) =>
  (x: Array): Array =>
    evaluate(expression, { x, carry: x.mul(0.5), index: np.int32(0), inGrad: false });

const operators = <T extends object>(table: T) => fc.constantFrom(...(Object.keys(table) as (keyof T)[]));

/** Random expressions; `loops: "static"` leaves out whileLoop, which reverse mode refuses. */
export function expressions(loops: "static" | "all"): fc.Arbitrary<Expression> {
  const { node } = fc.letrec<{ node: Expression }>((tie) => {
    const child = tie("node");
    const forms: fc.Arbitrary<Expression>[] = [
      fc.record({ op: operators(unary), a: child }),
      fc.record({ op: operators(binary), a: child, b: child }),
      fc.record({ op: fc.constantFrom("where", "cond"), a: child, b: child, c: child }),
      fc.record({
        op: fc.constantFrom("scan", "fori"),
        a: child,
        body: child,
        length: fc.integer({ min: 0, max: 3 }),
      }),
      fc.record({ op: fc.constant("inner"), a: child, body: child, kind: fc.constantFrom("vmap", "grad") }),
    ];
    if (loops === "all") forms.push(fc.record({ op: fc.constant("while"), a: child, body: child }));
    return {
      node: fc.oneof(
        { depthSize: "medium", withCrossShrink: true },
        fc.record({ op: fc.constantFrom("x", "carry", "index") }),
        fc.record({ op: fc.constant("constant"), value: fc.constantFrom(-0.7, 0.2, 1.3) }),
        ...forms,
      ),
    };
  });
  return node;
}
