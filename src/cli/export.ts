// `export`: the policy of a run as a file for other programs.
import fs from "node:fs";
import path from "node:path";
import { ArrayError, nearestName } from "../array/index.js";
import { CheckpointError } from "../checkpoint/index.js";
import { explainFailure, replaceFile } from "../files/index.js";
import {
  exportFormats,
  exportPolicy,
  loadPolicy,
  type ExportedFile,
  type ExportFormat,
  type Policy,
} from "../policy/index.js";
import { checkWords, oneOf, readFlags, tell, UsageError, wholeOf, type Arguments } from "./arguments.js";
import type { Host } from "./host.js";
import { openRun, relative } from "./runs.js";
import { thousands } from "./thousands.js";

const flagNames = [
  "format",
  "step",
  "member",
  "output",
  "sample",
  "batch",
  "value",
  "frameStack",
  "baseDir",
] as const;
const switches = ["sample", "value"];

/** What the files of a format may end in. */
const endings: Readonly<Record<ExportFormat, readonly string[]>> = {
  onnx: [".onnx"],
  js: [".js", ".mjs"],
  safetensors: [".safetensors"],
};

export async function exportRun(given: Arguments, { print }: Host): Promise<number> {
  const args = withSwitches(given);
  const flags = readFlags(args, flagNames);
  checkWords(args, 1);
  const output = oneOf(flags.output, "output");
  const format = formatOf(oneOf(flags.format, "format"), output);
  const [step, member] = [wholeOf(flags.step, "step"), wholeOf(flags.member, "member")];
  const batch = wholeOf(flags.batch, "batch", 1);
  const frameStack = wholeOf(flags.frameStack, "frame-stack", 1);
  const { source, file } = placesOf(args.words[0], oneOf(flags.baseDir, "base-dir"), format, output);
  const { policy, files } = await asked(async () => {
    const loaded = await loadPolicy(source, {
      ...(step !== undefined && { step }),
      ...(member !== undefined && { member }),
      ...(frameStack !== undefined && { frameStack }),
    });
    const exported = await exportPolicy(loaded, {
      format,
      name: path.basename(file, path.extname(file)),
      sample: flags.sample !== undefined,
      value: flags.value !== undefined,
      ...(batch !== undefined && { batch }),
    });
    return { policy: loaded, files: exported.files };
  });
  const lines = files.map((one) => written(one, file));
  [describePolicy(policy), ...lines].forEach((line) => print(line));
  return 0;
}

/** Flags that take no value give up what stands behind them: it is the run. */
function withSwitches({ words, flags }: Arguments): Arguments {
  const isSwitch = (name: string) => switches.includes(name);
  return {
    words: [...words, ...flags.flatMap(({ name, values }) => (isSwitch(name) ? values : []))],
    flags: flags.map((flag) => (isSwitch(flag.name) ? { ...flag, values: [] } : flag)),
  };
}

/** The format that is asked for, or that the name of the file tells. */
function formatOf(format: string | undefined, output: string | undefined): ExportFormat {
  const known = exportFormats.join(", ");
  if (format === undefined) {
    const told = exportFormats.find((one) => endings[one].includes(path.extname(output ?? "")));
    if (told !== undefined) return told;
    throw new UsageError(`which format? Give --format ${known.replaceAll(", ", "|")}`);
  }
  const found = exportFormats.find((one) => one === format.toLowerCase());
  if (found === undefined) {
    const near = nearestName(format, exportFormats);
    const hint = near === null ? "" : `; did you mean ${near}?`;
    throw new UsageError(`--format must be one of ${known}, got ${JSON.stringify(format)}${hint}`);
  }
  if (output !== undefined && !endings[found].includes(path.extname(output))) {
    throw new UsageError(
      `--output must end in ${endings[found].join(" or ")}, got ${JSON.stringify(output)}`,
    );
  }
  return found;
}

/** Where the policy is: a run, or a file of one; and where the file goes. */
function placesOf(
  word: string | undefined,
  baseDir: string | undefined,
  format: ExportFormat,
  output: string | undefined,
): { readonly source: string; readonly file: string } {
  const ending = endings[format][0];
  if (word !== undefined && fs.statSync(word, { throwIfNoEntry: false })?.isFile() === true) {
    const beside = `${word.slice(0, word.length - path.extname(word).length)}${ending}`;
    const file = path.resolve(output ?? beside);
    if (file === path.resolve(word)) throw new UsageError(`${word} would replace itself; give --output`);
    return { source: word, file };
  }
  const run = openRun(word, baseDir);
  return {
    source: run.root,
    file: path.resolve(output ?? path.join(run.root, "artifacts", `policy${ending}`)),
  };
}

/** What the library refuses is bad usage here. */
async function asked<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof ArrayError) {
      const own = error.reason.includes("the option networks")
        ? "; a program does that, with exportPolicy"
        : "";
      throw new UsageError(tell(error) + own);
    }
    if (error instanceof CheckpointError) throw new UsageError(error.message);
    throw error;
  }
}

function describePolicy({ metadata, space, observationSpace, step }: Policy): string {
  const { algorithm, environment } = metadata;
  const where = environment === null ? "" : ` of ${environment}`;
  const when = step === null ? "" : `, step ${thousands(step)}`;
  const { dtype, shape } = observationSpace;
  return `${algorithm} policy${where}${when}: observations ${dtype}[${shape.join()}], actions ${String(space)}`;
}

/** Writes a file beside the one that is asked for; tells what was written. */
function written({ name, bytes }: ExportedFile, target: string): string {
  const isTypes = name.endsWith(".d.ts");
  const file = isTypes ? target.replace(/\.(m?)js$/, ".d.$1ts") : target;
  try {
    replaceFile(file, [bytes]);
  } catch (error) {
    throw new Error(`cannot write ${relative(file)}: ${explainFailure(error)}`, { cause: error });
  }
  return `${relative(file)}: ${thousands(bytes.length)} bytes`;
}
