// No function swallows what it was given: arguments too many and options it does not have are refused.
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import * as language from "vibe-rl/array";
import { Array, ArrayError, jit, lax, nn, np, random, tree } from "vibe-rl/array";
import { signatureOf } from "../../src/array/core/checked.js";
import { IndexedUpdate } from "../../src/array/np/indexedUpdate.js";

type AnyFunction = (...args: unknown[]) => unknown;

/** Functions of as many arguments as one likes. */
const variadic = new Set(
  "np.einsum np.slice np.meshgrid lax.cond lax.switch tree.map tree.mapWithPath debug.print vjp linearize evalShape precompile".split(
    " ",
  ),
);

/** The functions of a namespace, by their full names. */
const functionsOf = (namespace: object, prefix: string): [string, AnyFunction][] =>
  Object.entries(namespace).flatMap(([name, value]): [string, AnyFunction][] => {
    if (typeof value === "function" && !/^class\b/.test(String(value))) {
      return [[`${prefix}${name}`, value as AnyFunction]];
    }
    const isNamespace = Object.prototype.toString.call(value) === "[object Module]";
    return isNamespace ? functionsOf(value as object, `${prefix}${name}.`) : [];
  });

const functions = functionsOf(language, "").filter(([name]) => !variadic.has(name));
const methods = [
  [Array.prototype, "Array.prototype."],
  [IndexedUpdate.prototype, "IndexedUpdate.prototype."],
].flatMap(([prototype, prefix]) =>
  Object.getOwnPropertyNames(prototype as object)
    .filter((name) => !/^(constructor|slice|at|withType|toString|toJSON|update|entries|factors)$/.test(name))
    .flatMap((name): [string, AnyFunction][] => {
      const value: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
      return typeof value === "function" ? [[`${prefix as string}${name}`, value as AnyFunction]] : [];
    }),
);
const all = [...functions, ...methods];

const messageOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    if (error instanceof ArrayError) return error.message;
    throw error;
  }
  return "nothing was thrown";
};

describe("every public function", () => {
  it("is among those that are looked at", () => {
    expect(functions.length).toBeGreaterThan(220);
    expect(methods.length).toBeGreaterThan(50);
  });

  it("refuses an argument too many and says how many it takes", () => {
    const swallowed = all.filter(([, f]) => {
      const signature = signatureOf(f);
      if (signature === undefined) return true;
      const { name, most } = signature;
      const given = new globalThis.Array<string>(most + 1).fill("surplus");
      const takes = most === 0 ? "no arguments" : most === 1 ? "1 argument" : `at most ${most} arguments`;
      return !messageOf(() => f(...given)).startsWith(`${name}: takes ${takes}, got ${most + 1}`);
    });
    expect(swallowed.map(([name]) => name)).toEqual([]);
  });

  it("refuses an option it does not have, and names those it has", () => {
    const swallowed = all.filter(([, f]) => {
      const { name = "", most = 0, options = [] } = signatureOf(f) ?? {};
      if (options.length === 0) return false;
      const given = new globalThis.Array<unknown>(most - 1).fill(undefined);
      const message = messageOf(() => f(...given, { [`${options[0]}s`]: 1 }));
      return !message.startsWith(`${name}: there is no option ${options[0]}s; the nearest`);
    });
    expect(swallowed.map(([name]) => name)).toEqual([]);
  });

  it("refuses what is no options object", () => {
    const swallowed = all.filter(([, f]) => {
      const { most = 0, options = [] } = signatureOf(f) ?? {};
      if (options.length === 0) return false;
      const given = new globalThis.Array<unknown>(most - 1).fill(undefined);
      return [true, null, [0], np.ones([2])].some(
        (odd) => !messageOf(() => f(...given, odd)).includes("the options must be an object such as {"),
      );
    });
    expect(swallowed.map(([name]) => name)).toEqual([]);
  });
});

describe("what JavaScript is refused, TypeScript does not compile", () => {
  let checker: ts.TypeChecker;
  let declared: ReadonlyMap<string, ts.Signature>;

  beforeAll(() => {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), (file) =>
      ts.sys.readFile(file),
    ) as {
      config: { compilerOptions: object };
    };
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
    const entry = path.join(root, "src", "array", "index.ts");
    const program = ts.createProgram(
      [entry, path.join(root, "src", "array", "np", "indexedUpdate.ts")],
      options,
    );
    checker = program.getTypeChecker();
    const found = new Map<string, ts.Signature>();
    const visit = (symbols: readonly ts.Symbol[], prefix: string): void => {
      for (const symbol of symbols) {
        const name = `${prefix}${symbol.name}`;
        const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        if (target.flags & ts.SymbolFlags.Module) visit(checker.getExportsOfModule(target), `${name}.`);
        else if (target.flags & ts.SymbolFlags.Class) {
          visit(checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(target)), `${name}.prototype.`);
        } else if (target.flags & ts.SymbolFlags.Value) {
          const signature = checker.getTypeOfSymbol(target).getCallSignatures().at(-1);
          if (signature !== undefined) found.set(name, signature);
        }
      }
    };
    for (const file of ["index.ts", "np/indexedUpdate.ts"]) {
      const source = program.getSourceFile(path.join(root, "src", "array", ...file.split("/")));
      const module = source && checker.getSymbolAtLocation(source);
      if (module !== undefined) visit(checker.getExportsOfModule(module), "");
    }
    declared = found;
  });

  it("as many arguments", () => {
    const counts = all.map(([name, f]) => [name, signatureOf(f)?.most]);
    expect(counts).toEqual(all.map(([name]) => [name, declared.get(name)?.parameters.length]));
  });

  it("the same options", () => {
    const optionsOf = (name: string): string[] => {
      const parameter = declared.get(name)?.parameters.at(-1);
      if (parameter === undefined) return [];
      const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
      const isOptions =
        (type.flags & ts.TypeFlags.Object) !== 0 || type.isIntersection()
          ? type.getCallSignatures().length === 0 && !checker.isArrayLikeType(type) && !type.isClass()
          : false;
      return isOptions && type.symbol?.name !== "Array"
        ? type.getProperties().map((option) => option.name)
        : [];
    };
    const checkedNames = all.map(([name, f]) => [name, [...(signatureOf(f)?.options ?? [])].sort()]);
    expect(checkedNames).toEqual(all.map(([name]) => [name, optionsOf(name).sort()]));
  });
});

describe("functions as callbacks", () => {
  const rows = [np.array([1, 2]), np.array([3, 4])];

  it("work with map and reduce, which pass an index and the list as well", () => {
    expect(rows.map(np.square).map((row) => row.toArray())).toEqual([
      [1, 4],
      [9, 16],
    ]);
    expect(rows.reduce(np.add).toArray()).toEqual([4, 6]);
    expect(tree.map(np.tanh, { w: np.zeros([1]) }).w.toArray()).toEqual([0]);
  });

  it("that would take the index for something say how to be written", () => {
    expect(() => rows.map(np.sum as never)).toThrow(
      /np\.sum: the options must be .*; as a callback write x => np\.sum\(x\)/,
    );
    expect(() => rows.map(np.round)).toThrow(
      /np\.round: takes at most 2 .*; as a callback write x => np\.round\(x\)/,
    );
    expect(() => globalThis.Array.from(rows, np.square)).toThrow(/as a callback write x => np\.square\(x\)/);
  });
});

describe("calls that used to be swallowed", () => {
  const x = np.array([1, 2, 3]);
  const untyped = <T>(value: T) => value as unknown as Record<string, AnyFunction>;

  it("are refused with the nearest names", () => {
    expect(() => untyped(np).diag(x, 1, 2)).toThrow(/^np\.diag: takes at most 2 arguments, got 3 \(/);
    expect(() => untyped(np).sum(x, 0, { keepDims: true })).toThrow(
      /^np\.sum: there is no option keepDims; the nearest is keepdims \(of \{ keepdims, where, initial, dtype \}\)/,
    );
    expect(() => untyped(random).categorical(random.key(0), x, { replaced: false })).toThrow(
      /^random\.categorical: there is no option replaced; the nearest/,
    );
    expect(() => untyped(nn).softmax(x, -1, { where: x })).toThrow(
      /^nn\.softmax: takes at most 2 arguments, got 3/,
    );
    expect(() => untyped(x).sum(0, { axis: 1 })).toThrow(/^sum: there is no option axis/);
    expect(() => untyped(x).item(0)).toThrow(/^item: takes no arguments, got 1/);
    expect(() => untyped(x.at(0)).set(1, {}, 2)).toThrow(/^at\(\)\.set: takes at most 2 arguments, got 3/);
    expect(() => untyped({ jit }).jit(np.exp, { staticArgs: 0 })).toThrow(
      /^jit: there is no option staticArgs; the nearest are staticArgnums/,
    );
    expect(() => untyped(lax).scan(() => 0, 0, x, { lenght: 3 })).toThrow(
      /there is no option lenght; the nearest is length/,
    );
  });

  it("but undefined is as good as nothing", () => {
    expect(untyped(np).square(x, undefined)).toBeInstanceOf(Array);
    expect(np.sum(x, undefined, undefined).item()).toBe(6);
  });
});
