// Errors name the user's line, however the library and the program came to run: from the built package, under
// source maps, in a bundle, in a test runner.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { itLong } from "../long.js";
import { unpackPackage } from "../package/project.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** A user's project, with the packed package beside it. */
let project = "";
let installed = "";

beforeAll(async () => {
  project = mkdtempSync(path.join(tmpdir(), "vibe-rl-locations-"));
  const modules = path.join(project, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(path.join(root, "node_modules"))) {
    if (!name.startsWith(".vite"))
      symlinkSync(path.join(root, "node_modules", name), path.join(modules, name));
  }
  installed = path.join(modules, "vibe-rl");
  await unpackPackage(installed);
  writeFileSync(path.join(project, "package.json"), JSON.stringify({ type: "module" }));
}, 120_000);
afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

/** How the package is there now. */
let way: "installed" | "linked" = "installed";

const install = (): void => {
  if (way === "installed") return;
  way = "installed";
  rmSync(installed);
  renameSync(path.join(project, "package"), installed);
};
const link = (): void => {
  if (way === "linked") return;
  way = "linked";
  renameSync(installed, path.join(project, "package"));
  symlinkSync(path.join(project, "package"), installed);
};

/** Mistakes, each on a line of its own that ends with its name. */
const mistakes = `
import { grad, jit, lax, np, tree, vmap } from "vibe-rl/array";
const x = np.ones([3]);
const deep = () => {
  return np.ones([2]).matmul(np.ones([3])); // in a function of the user's
};
const step = (c) => {
  return [c.add(np.ones([7])), null]; // in the body of a loop
};
const calls = {
  "from a function": () => np.sum(x, 5), // from a function
  "from a method": () => x.add(np.ones([4])), // from a method
  "from an index": () => x.slice(9), // from an index
  "from an update": () => x.at(0).set(np.ones([5])), // from an update
  "from functions that use others": () => np.linalg.norm(x, "fro"), // from functions that use others
  "from einsum": () => np.einsum("ij->i", x), // from einsum
  "from an argument too many": () => np.tanh(x, x, x), // from an argument too many
  "in a function of the user's": deep,
  "in jit": () => jit((y) => np.sum(y, 5))(x), // in jit
  "calling what jit made": () => jit((y) => y)(() => 0), // calling what jit made
  "in jit of jit": () => jit((y) => jit((z) => z.reshape([4]))(y))(x), // in jit of jit
  "in the body of a loop": () => grad((y) => lax.scan(step, y, null, { length: 2 })[0].sum())(x),
  "in vmap": () => vmap((y) => y.sum(3))(x), // in vmap
  "in tree.map": () => tree.map((leaf) => leaf.add(np.ones([4])), { x }), // in tree.map
  "in a JavaScript operator": () => jit((y) => (y > 0 ? y : x))(x), // in a JavaScript operator
  "refused by a transform later": () =>
    grad((y) =>
      lax.whileLoop((c) => c.sum().less(9), (c) => c.mul(2), y).sum() // refused by a transform later
    )(x),
};
for (const [name, call] of Object.entries(calls)) {
  try {
    call();
    console.log(name + ": nothing was thrown");
  } catch (error) {
    console.log(name + ": " + error.location);
  }
}
`.trimStart();
const names = [...mistakes.matchAll(/^ {2}"(.*?)": /gm)].map(([, name]) => name);

/** For each mistake, `file:line` of where it is in the program. */
const expected = (file: string, program: string): string[] =>
  names.map((name) => {
    const line = program.split("\n").findIndex((text) => text.endsWith(`// ${name}`)) + 1;
    return `${name}: ${file}:${line}`;
  });

/** The lines a program printed, without columns. */
const printed = (output: string): string[] =>
  output
    .trim()
    .split("\n")
    .map((line) => line.replace(/:\d+$/, ""));

const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: project, encoding: "utf8" });

const write = (file: string, text: string): string => {
  writeFileSync(path.join(project, file), text);
  return file;
};

/** The program and the library in one file, for the web. */
async function bundle(minify: boolean): Promise<string> {
  const folder = minify ? "minified" : "plain";
  const file = `${folder}/bundle.js`;
  if (existsSync(path.join(project, file))) return file;
  const entry = path.join(project, write("program.mjs", mistakes));
  await build({
    root: project,
    configFile: false,
    logLevel: "silent",
    build: { outDir: folder, minify, sourcemap: true, lib: { entry, formats: ["es"], fileName: "bundle" } },
  });
  return file;
}

/** Where the tests of the project saw each mistake: they fail, with the place in the message. */
function locationsUnderVitest(): string[] {
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
  try {
    node(vitest, "run", "--reporter=json", "--outputFile=report.json");
  } catch {
    // As it should be.
  }
  const { testResults } = JSON.parse(readFileSync(path.join(project, "report.json"), "utf8")) as {
    testResults: { assertionResults: { title: string; failureMessages: string[] }[] }[];
  };
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ title, failureMessages: [message] }) => {
      const received = /expected '(.*?):\d+' to be/.exec(message)?.[1];
      return `${title}: ${received ?? message}`;
    }),
  );
}

describe("the user's line is named", { timeout: 120_000 }, () => {
  for (const [name, set] of [
    ["installed", install],
    ["linked", link],
  ] as const) {
    it(`by the package, ${name}`, () => {
      set();
      const file = write("program.mjs", mistakes);
      expect(printed(node(file))).toEqual(expected(file, mistakes));
    });

    it(`by the package under source maps, ${name}`, () => {
      set();
      const file = write("program.mjs", mistakes);
      expect(printed(node("--enable-source-maps", file))).toEqual(expected(file, mistakes));
    });

    const itHere = name === "installed" ? it : itLong;
    itHere(`in the tests of a project that depends on the package, ${name}`, () => {
      set();
      const test = mistakes
        .replace("import {", 'import { expect, it } from "vitest"; import {')
        .replace(
          /console\.log\(name \+ ": " \+ error\.location\)/,
          'it(name, () => expect(error.location).toBe("nowhere"))',
        );
      const file = write("user.test.js", test);
      expect(locationsUnderVitest()).toEqual(expected(file, test));
    });
  }

  it("in a bundle", async () => {
    install();
    const file = await bundle(false);
    const found = printed(node(file));
    expect(found.map((line) => line.replace(/:\d+$/, ""))).toEqual(names.map((name) => `${name}: ${file}`));
    // The bundler keeps the table of mistakes one to a line.
    const lines = readFileSync(path.join(project, file), "utf8").split("\n");
    const direct = names.filter((name) => name.startsWith("from "));
    expect(found.slice(0, direct.length)).toEqual(
      direct.map((name) => `${name}: ${file}:${lines.findIndex((text) => text.includes(`"${name}": `)) + 1}`),
    );
  });

  it("in a bundle with a source map, minified or not", async () => {
    install();
    for (const minify of [true, false]) {
      const file = await bundle(minify);
      expect(printed(node("--enable-source-maps", file))).toEqual(expected("program.mjs", mistakes));
    }
  });
});
