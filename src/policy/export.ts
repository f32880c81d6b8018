// Exporting policies: to ONNX, to a JavaScript module that needs nothing else, or to our own file.
import { check, fail, rules, showValue, tellNearest } from "../array/index.js";
import { actingOf, actionKindOf } from "./acting.js";
import { frameLayout } from "./frames.js";
import { compilePolicy } from "./js/compile.js";
import { moduleText, typesText } from "./js/source.js";
import { findPolicy, type LoadPolicyOptions, type PolicySource } from "./load.js";
import { policyToOnnx } from "./onnx/write.js";
import { checkNames, storedOf } from "./policy.js";
import { policyToBytes, type StoredPolicy } from "./stored.js";
import type { Policy } from "./types.js";

export const exportFormats = ["onnx", "js", "safetensors"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportPolicyOptions extends Pick<
  LoadPolicyOptions,
  "step" | "member" | "networks" | "actionSpace" | "frameStack"
> {
  /** What to write. */
  readonly format: ExportFormat;
  /** The name of the files, without what comes behind the point. Default "policy". */
  readonly name?: string;
  /** Whether actions are sampled, as in training, and not the likeliest. Default false. */
  readonly sample?: boolean;
  /** ONNX: how many observations the file takes at once. Default: any number. */
  readonly batch?: number;
  /** ONNX: whether PPO's critic comes along, as an output `value`. Default false. */
  readonly value?: boolean;
}

export interface ExportedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ExportedPolicy {
  readonly format: ExportFormat;
  /** The file that acts. */
  readonly bytes: Uint8Array;
  /** All files by name; the first is the one that acts, and a module has its types beside it. */
  readonly files: readonly ExportedFile[];
}

const optionNames = [
  ...["format", "name", "sample", "batch", "value"],
  ...["step", "member", "networks", "actionSpace", "frameStack"],
];

/**
 * A policy as files for other programs. It takes a policy, or whatever `loadPolicy` takes: a run, a checkpoint, a file
 * or bytes. What comes out holds all that acting needs.
 */
export async function exportPolicy(
  source: Policy | PolicySource,
  options: ExportPolicyOptions,
): Promise<ExportedPolicy> {
  const operation = "exportPolicy";
  checkNames(operation, options ?? {}, optionNames);
  const { format, name = "policy", sample = false, batch, value = false } = options ?? {};
  if (!exportFormats.includes(format)) {
    const known = typeof format === "string" ? tellNearest(format, exportFormats) : "";
    fail(
      operation,
      `format must be ${exportFormats.join(", ")}, got ${showValue(format)}${known === "" ? "" : `; ${known}`}`,
    );
  }
  check(operation, "sample", sample, rules.flag);
  check(operation, "value", value, rules.flag);
  if (typeof name !== "string" || !/^[^/\\]+$/.test(name)) {
    fail(operation, `name must be a text without slashes, got ${showValue(name)}`);
  }
  if (batch !== undefined) check(operation, "batch", batch, rules.whole(1));
  for (const [option, given] of Object.entries({ batch, value: value || undefined })) {
    if (given !== undefined && format !== "onnx")
      fail(operation, `${option} is for ONNX; leave it out for ${format}`);
  }
  const stored = await storedIn(operation, source, options);
  frameLayout(operation, stored.obsShape, stored.frameStack ?? 1);
  const files = filesOf(operation, stored, { format, name, sample, batch: batch ?? null, value });
  return { format, bytes: files[0].bytes, files };
}

async function storedIn(
  operation: string,
  source: Policy | PolicySource,
  { step, member, networks, actionSpace, frameStack }: ExportPolicyOptions,
): Promise<StoredPolicy> {
  const own = typeof source === "object" && source !== null ? storedOf(source) : undefined;
  const choice = {
    ...(step !== undefined && { step }),
    ...(member !== undefined && { member }),
    ...(actionSpace !== undefined && { actionSpace }),
    ...(frameStack !== undefined && { frameStack }),
    networks,
  };
  if (own === undefined) return findPolicy(operation, source as PolicySource, choice);
  const extra = Object.keys(choice).find((name) => name !== "networks");
  if (extra !== undefined || networks !== undefined) {
    fail(operation, `${extra ?? "networks"} is for loading; the policy that is given is loaded already`);
  }
  return own;
}

interface Wanted {
  readonly format: ExportFormat;
  readonly name: string;
  readonly sample: boolean;
  readonly batch: number | null;
  readonly value: boolean;
}

function filesOf(operation: string, stored: StoredPolicy, wanted: Wanted): readonly ExportedFile[] {
  const { format, name, sample, batch, value } = wanted;
  switch (format) {
    case "safetensors":
      if (sample) fail(operation, "a safetensors file holds both: loadPolicy samples with { explore: true }");
      return [{ name: `${name}.safetensors`, bytes: policyToBytes(stored) }];
    case "onnx": {
      if (value && valueOfIsMissing(stored)) {
        fail(
          operation,
          `${stored.algorithm.toUpperCase()} has no critic of observations alone; leave out value`,
        );
      }
      return [{ name: `${name}.onnx`, bytes: policyToOnnx(operation, stored, { sample, batch, value }) }];
    }
    case "js": {
      const actions = actionKindOf(stored);
      const compiled = compilePolicy(operation, stored, sample);
      const text = new TextEncoder();
      return [
        { name: `${name}.js`, bytes: text.encode(moduleText(stored, actions, compiled, sample)) },
        { name: `${name}.d.ts`, bytes: text.encode(typesText(stored, actions, sample)) },
      ];
    }
  }
}

const valueOfIsMissing = ({ algorithm }: StoredPolicy): boolean => actingOf(algorithm).value === undefined;
