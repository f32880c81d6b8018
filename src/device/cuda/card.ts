// Which GPU is used, and what it can do. Nothing is taken of it yet.
import { environment, fail } from "../../array/index.js";
import type { PtxTarget } from "../../compiler/index.js";
import type { Driver } from "./driver.js";
import { attributes, status } from "./functions.js";
import { explain } from "./statuses.js";

export interface Card {
  readonly handle: number;
  readonly name: string;
  /** Its compute capability, as [9, 0]. */
  readonly capability: readonly [major: number, minor: number];
  readonly target: PtxTarget;
  /** Whether blocks that wait for each other can be started. */
  readonly isCooperative: boolean;
  /** Whether the system ends programs that take longer than a few seconds, as it does where the GPU drives a display. */
  readonly hasTimeLimit: boolean;
}

/** The oldest GPUs that programs are made for: Ampere. */
const oldest = [8, 0] as const;

/** The GPU of VIBE_RL_CUDA_DEVICE, or the first one, or why there is none. */
export function findCard(driver: Driver): Card | { readonly problem: string } {
  const { call } = driver;
  const word = new Int32Array(1);
  const counted = call.cuDeviceGetCount(word);
  const count = counted === status.success ? word[0] : 0;
  if (count === 0) {
    return {
      problem: `the CUDA driver sees no GPU: ${explain(driver, counted === status.success ? status.noDevice : counted)}`,
    };
  }
  const number = numberFromEnvironment(count);
  const code = call.cuDeviceGet(word, number);
  if (code !== status.success) return { problem: `GPU ${number} cannot be used: ${explain(driver, code)}` };
  return cardOf(driver, word[0]);
}

function numberFromEnvironment(count: number): number {
  const text = environment("VIBE_RL_CUDA_DEVICE");
  if (text === undefined) return 0;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0 && number < count) return number;
  return fail(
    "VIBE_RL_CUDA_DEVICE",
    `must be the number of a GPU, from 0 to ${count - 1} here, got ${JSON.stringify(text)}`,
    null,
  );
}

function cardOf(driver: Driver, handle: number): Card | { readonly problem: string } {
  const { call } = driver;
  const word = new Int32Array(1);
  const attribute = (which: keyof typeof attributes): number => {
    const code = call.cuDeviceGetAttribute(word, attributes[which], handle);
    return code === status.success
      ? word[0]
      : fail("cuda", `the GPU does not tell its ${which}: ${explain(driver, code)}`);
  };
  const name = nameOf(driver, handle);
  const capability = [attribute("capabilityMajor"), attribute("capabilityMinor")] as const;
  if (capability[0] < oldest[0]) {
    return {
      problem:
        `${name} has compute capability ${capability.join(".")}, and programs are made for ${oldest.join(".")} and ` +
        "newer (Ampere, 2020); use another GPU (VIBE_RL_CUDA_DEVICE)",
    };
  }
  return {
    handle,
    name,
    capability,
    target: {
      multiprocessors: attribute("multiprocessors"),
      sharedBytes: attribute("sharedBytesPerBlock"),
      clusterBlocks: clusterBlocks(capability, attribute),
      ...(driver.version < compilesFunctions && { functionLines: null }),
    },
    isCooperative: attribute("cooperativeLaunch") === 1,
    hasTimeLimit: attribute("timeLimit") === 1,
  };
}

/** The CUDA of the first drivers that compile several functions at once, and take PTX with functions that save no registers. */
const compilesFunctions = 13_000;

/** GPUs of data centres with so many multiprocessors or more have 16 of them in one piece. */
const large = 100;

/** Blocks that a cluster can have: 8 wherever there are clusters. */
function clusterBlocks(
  [major]: Card["capability"],
  attribute: (which: keyof typeof attributes) => number,
): number {
  if (major < 9 || attribute("clusterLaunch") !== 1) return 0;
  return major <= 10 && attribute("multiprocessors") >= large ? 16 : 8;
}

function nameOf({ koffi, call }: Driver, handle: number): string {
  const text = new Uint8Array(new ArrayBuffer(256));
  if (call.cuDeviceGetName(text, text.length - 1, handle) !== status.success) return "the GPU";
  return koffi.decode.string(koffi.address(text)) ?? "the GPU";
}
