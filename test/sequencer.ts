// The order of test files: those that take long come first, so that none of them is left alone at the end. Vitest knows
// how long files took only where it ran them before; elsewhere it goes by their sizes, which say little.
import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest files, each a few seconds, the longest ones first. */
const long = [
  ...["runner/offPolicy.devices", "runner/multiGPU.devices"],
  ...["docs", "package/bundles", "playground/playground", "vecEnv/workerVecEnv", "compiler/ptx/blocks"],
  ...["compiler/ptx/programs", "array/locations", "compiler/ptx/threads", "compiler/ptx/tiles"],
  ...["compiler/nativeThreads", "compiler/native", "compiler/nativePrograms", "browser"],
  ...["cli/robust", "array/partition/random", "dashboard/page", "policy/jsModule", "compiler/large"],
  ...["runner/killed", "device/spmdBrowser", "browserWorkers", "compiler/longSums", "compiler/reductions"],
  ...[
    "array/properties",
    "device/nativeBuild",
    "examples",
    "runner/sweep",
    "runner/promises",
    "package/types",
  ],
  ...["cli/damage", "policy/policy", "runner/resume", "checkpoint/killed", "runner/lost", "files/lock"],
].map((name) => path.resolve("test", `${name}.test.ts`));

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const at = long.indexOf(path.resolve(moduleId));
      return at === -1 ? long.length : at;
    };
    // Projects stay together: a worker is of one of them. Simulated devices come last, when nothing else, such as the
    // linter, needs the processors that they wait for each other on.
    const projects = [...new Set(sorted.map(({ project }) => project.name))].sort().reverse();
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).sort((a, b) => place(a) - place(b)),
    );
  }
}
