// Which C compiler there is.
import { environment } from "../../array/index.js";
import { fs, path } from "../../node/index.js";

export interface Compiler {
  /** As it is called: the program, and what CC says behind it. */
  readonly command: readonly [program: string, ...flags: string[]];
  /** What tells it from others, and from what it was before an update. */
  readonly identity: string;
}

const usual = ["clang", "gcc", "cc"];

/** The compiler that CC names, or the first of clang, gcc and cc; otherwise why there is none. */
export function findCompiler(): Compiler | { readonly problem: string } {
  const asked = environment("CC")?.trim();
  if (asked !== undefined && asked !== "") {
    // Either a path, which may have spaces, or a command with flags.
    const words = locate(asked) === null ? asked.split(/\s+/) : [asked];
    return (
      compilerAt(words[0], words.slice(1)) ?? {
        problem: `CC is ${JSON.stringify(asked)}, and there is no such program; set it to a C compiler, or unset it`,
      }
    );
  }
  for (const name of usual) {
    const found = compilerAt(name, []);
    if (found !== null) return found;
  }
  return {
    problem:
      `there is no C compiler (${usual.join(", ")}) in PATH, and CC names none; install one (Debian, Ubuntu: ` +
      "apt install clang; Fedora: dnf install clang; macOS: xcode-select --install)",
  };
}

function compilerAt(name: string, flags: readonly string[]): Compiler | null {
  const program = locate(name);
  if (program === null) return null;
  const real = fs.realpathSync(program);
  const { size, mtimeMs } = fs.statSync(real);
  return { command: [program, ...flags], identity: JSON.stringify([program, ...flags, real, size, mtimeMs]) };
}

/** The file of a program that can be run; null if there is none. */
function locate(name: string): string | null {
  const folders = name.includes("/") ? [""] : (environment("PATH") ?? "").split(path.delimiter);
  for (const folder of folders) {
    const file = path.resolve(folder, name);
    try {
      fs.accessSync(file, fs.constants.X_OK);
      if (fs.statSync(file).isFile()) return file;
    } catch {
      // It is not in this folder.
    }
  }
  return null;
}
