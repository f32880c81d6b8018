// The modules of the built package as a bundler sees them: what they import, and what they do when they are loaded.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Module {
  /** Below dist/, with slashes. */
  readonly file: string;
  /** What is imported: a module's file, or the name of a package. */
  readonly imports: readonly string[];
  /** What is imported when it is asked for. */
  readonly lazyImports: readonly string[];
  /** Whether loading it does more than define names. */
  readonly isActing: boolean;
}

const isDefinition = (statement: ts.Statement): boolean =>
  ts.isFunctionDeclaration(statement) ||
  ts.isClassDeclaration(statement) ||
  ts.isVariableStatement(statement) ||
  ts.isExportDeclaration(statement) ||
  // An import without names is there for what the module does.
  (ts.isImportDeclaration(statement) && statement.importClause !== undefined);

function readModule(file: string): Module {
  const text = readFileSync(path.join(root, "dist", file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
  const targetOf = (name: string): string =>
    name.startsWith(".") ? path.posix.join(path.posix.dirname(file), name) : name;
  const imports = source.statements.flatMap((statement) =>
    (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) &&
    statement.moduleSpecifier !== undefined &&
    ts.isStringLiteral(statement.moduleSpecifier)
      ? [targetOf(statement.moduleSpecifier.text)]
      : [],
  );
  const lazy = [...text.matchAll(/\bimport\("([^"]+)"\)/g)].map((match) => targetOf(match[1]));
  const isActing = !source.statements.every(isDefinition);
  return { file, imports, lazyImports: lazy, isActing };
}

/** The dashboard's page and the quick copy of the command line are bundles that nobody imports. */
const bundles = [path.join("dashboard", "page"), "bundle"].map((folder) => folder + path.sep);

/** All modules of the built package. */
export const readModules = (): Module[] =>
  readdirSync(path.join(root, "dist"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js") && !bundles.some((folder) => file.startsWith(folder)))
    .sort()
    .map((file) => readModule(file.replaceAll(path.sep, "/")));
