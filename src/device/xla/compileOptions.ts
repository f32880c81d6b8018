// How a program is compiled: for how many devices, and with which settings of XLA (CompileOptionsProto).
import { bytesField, numberField, textField } from "./protobuf.js";

export interface BuildOptions {
  /** How many devices run it together. */
  readonly partitions: number;
  /** Settings of XLA by their names (DebugOptions). */
  readonly settings: Readonly<Record<string, boolean | number | string>>;
  /** Whether XLA is to try out which kernels are the fastest for products; true if left out. */
  readonly isTuned?: boolean;
}

/** Numbers of fields in xla/pjrt/proto/compile_options.proto. */
const options = { buildOptions: 3, overrides: 7 } as const;
const build = {
  deviceOrdinal: 1,
  replicas: 4,
  partitions: 5,
  isSpmd: 6,
  deviceAssignment: 9,
  outputsOpen: 12,
} as const;
const entry = { key: 1, value: 2 } as const;
const override = { text: 1, flag: 2, whole: 3 } as const;
const assignment = { replicas: 1, computations: 2, devices: 3, ids: 1 } as const;

function settingOf(value: boolean | number | string): number[] {
  if (typeof value === "boolean") return numberField(override.flag, value);
  return typeof value === "number" ? numberField(override.whole, value) : textField(override.text, value);
}

/** Which device runs which part: the first `partitions` ones, in their order. */
const assigned = (partitions: number): number[] => [
  ...numberField(assignment.replicas, 1),
  ...numberField(assignment.computations, partitions),
  ...Array.from({ length: partitions }, (_, device) =>
    bytesField(assignment.devices, bytesField(assignment.ids, [device])),
  ).flat(),
];

export function compileOptions({ partitions, settings }: BuildOptions): Uint8Array {
  const several = [
    ...numberField(build.isSpmd, true),
    ...bytesField(build.deviceAssignment, assigned(partitions)),
    ...bytesField(build.outputsOpen, [1]),
  ];
  const built = [
    ...numberField(build.deviceOrdinal, -1),
    ...numberField(build.replicas, 1),
    ...numberField(build.partitions, partitions),
    ...(partitions > 1 ? several : []),
  ];
  const overrides = Object.entries(settings).flatMap(([name, value]) =>
    bytesField(options.overrides, [
      ...textField(entry.key, name),
      ...bytesField(entry.value, settingOf(value)),
    ]),
  );
  return Uint8Array.from([...bytesField(options.buildOptions, built), ...overrides]);
}
