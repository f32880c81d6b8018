// Devices that share one memory: what they tell each other lies at its start, then their buffers, one device's after
// the other's. All have the same plan, so that a buffer of another device is a known distance away.
import type { NamedAxis } from "../../array/index.js";
import { groupOf, type DeviceGroup } from "../collectives.js";
import type { ExchangeKernel } from "../kernel.js";
import type { Assembler } from "./assembler.js";
import { ControlBlock } from "./control.js";
import { renderExchange } from "./exchange.js";
import { renderMeeting, renderWait } from "./meeting.js";
import { pageBytes } from "./module.js";
import type { Surroundings } from "./pointers.js";

const toPages = (bytes: number): number => Math.ceil(bytes / pageBytes) * pageBytes;

/** How several devices with the same plan lie in one memory. */
export interface SharedLayout {
  readonly axes: readonly NamedAxis[];
  /** The axes that each kind of group goes along. */
  readonly groups: readonly (readonly string[])[];
  readonly control: ControlBlock;
  readonly baseOf: (device: number) => number;
  /** Of the whole memory, and of each device. */
  readonly memoryBytes: number;
  readonly deviceBytes: number;
}

export function shareMemory(
  planBytes: number,
  axes: readonly NamedAxis[],
  groups: readonly (readonly string[])[],
  devices: number,
): SharedLayout {
  const control = new ControlBlock(devices, groups.length);
  const start = toPages(control.bytes);
  const deviceBytes = toPages(planBytes);
  return {
    axes,
    groups,
    control,
    baseOf: (device) => start + device * deviceBytes,
    memoryBytes: start + devices * deviceBytes,
    deviceBytes,
  };
}

/** One of the devices that share a memory, while its code is rendered. */
export class SharingDevice {
  readonly base: number;
  readonly memoryBytes: number;
  /** Whether there are others. */
  readonly isShared: boolean;
  private readonly meetings = new Map<number, number>();
  private wait: number | null = null;

  constructor(
    private readonly layout: SharedLayout,
    private readonly device: number,
  ) {
    this.base = layout.baseOf(device);
    this.memoryBytes = layout.memoryBytes;
    this.isShared = layout.control.devices > 1;
  }

  groupAlong(names: readonly string[]): DeviceGroup {
    return groupOf(this.device, this.layout.axes, names);
  }

  /** Writes an exchange; the function in which its group meets is added if it is not there yet. */
  renderExchange(
    asm: Assembler,
    kernel: ExchangeKernel,
    surroundings: Surroundings,
    add: (meeting: Assembler) => number,
  ): void {
    const { groups, control, baseOf } = this.layout;
    const { members, rank } = this.groupAlong(kernel.axes);
    const kind = groups.findIndex((group) => group.join() === kernel.axes.join());
    let meet = this.meetings.get(kind);
    if (meet === undefined) {
      this.wait ??= add(renderWait(this.device));
      meet = add(renderMeeting({ device: this.device, members, control, kind }, this.wait));
      this.meetings.set(kind, meet);
    }
    renderExchange(asm, kernel, surroundings, { members, rank, kind, control, baseOf, meet });
  }
}
