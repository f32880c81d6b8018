// From a visitor's TypeScript to a module that a worker can import: types go, lines stay, names of modules become
// addresses.
import { javascriptLanguage, typescriptLanguage } from "@codemirror/lang-javascript";
import { transform } from "sucrase";

/** What is wrong with a text, and where; lines and columns count from 1. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(message);
  }
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

function failAt(text: string, offset: number, message: string): never {
  const { line, column } = placeOf(text, offset);
  throw new SourceError(message, line, column);
}

/** Refuses what is no TypeScript, by the editor's own grammar, which knows the place. */
function checkSyntax(text: string): void {
  typescriptLanguage.parser.parse(text).iterate({
    enter({ type, from, to }) {
      if (!type.isError) return;
      const found = text.slice(from, Math.max(to, from + 1)).split("\n")[0];
      const near = found.trim() === "" ? "something is missing here" : `unexpected ${JSON.stringify(found)}`;
      failAt(text, from, `Syntax error: ${near}`);
    },
  });
}

function withoutTypes(text: string): string {
  try {
    return transform(text, { transforms: ["typescript"], disableESTransforms: true }).code;
  } catch (error) {
    const { message, loc } = error as Error & {
      readonly loc?: { readonly line: number; readonly column: number };
    };
    throw new SourceError(message.replace(/ \(\d+:\d+\)$/, ""), loc?.line ?? 1, (loc?.column ?? 0) + 1);
  }
}

/** A module's JavaScript, with the names in `modules` replaced by their addresses. */
export function transpile(text: string, modules: Readonly<Record<string, string>>): string {
  checkSyntax(text);
  const code = withoutTypes(text);
  const parts: string[] = [];
  let end = 0;
  javascriptLanguage.parser.parse(code).iterate({
    enter({ name, from, node }) {
      if (name !== "ImportDeclaration" && name !== "ExportDeclaration") return;
      const specifier = node.getChild("String");
      if (specifier === null) return;
      const wanted = code.slice(specifier.from + 1, specifier.to - 1);
      if (!Object.hasOwn(modules, wanted)) {
        failAt(
          code,
          from,
          `there is no module "${wanted}" here; there are ${Object.keys(modules).join(", ")}`,
        );
      }
      parts.push(code.slice(end, specifier.from), JSON.stringify(modules[wanted]));
      end = specifier.to;
    },
  });
  return [...parts, code.slice(end)].join("");
}

const members = [
  "step",
  "reset",
  "render",
  "restart",
  "defaultParams",
  "observationSpace",
  "actionSpace",
  "name",
];

/** The line of the environment's member that a message is about; null where it names none, or none stands there. */
export function lineOfMember(text: string, message: string): number | null {
  const named = members
    .map((name) => ({ name, at: message.search(new RegExp(`\\b${name}\\b`)) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const lines = new Map<string, number>();
  typescriptLanguage.parser.parse(text).iterate({
    enter({ name, from, to }) {
      if (name === "PropertyDefinition" && !lines.has(text.slice(from, to)))
        lines.set(text.slice(from, to), placeOf(text, from).line);
    },
  });
  return named.map(({ name }) => lines.get(name)).find((line) => line !== undefined) ?? null;
}
