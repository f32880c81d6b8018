// Meetings: code that returns when all devices of a group have come to it. Each counts its meetings in a word of its
// own and looks at the words of the others, so that for two devices one cache line travels each way.
import { Assembler } from "./assembler.js";
import { controlWords, type ControlBlock } from "./control.js";

/** How long a device sleeps at most before it looks whether the run was given up. */
const sleepNanoseconds = 100_000_000;

/** A device among those it meets. */
export interface Meeting {
  readonly device: number;
  readonly members: readonly number[];
  readonly control: ControlBlock;
  /** The kind of the group, for its words. */
  readonly kind: number;
}

/**
 * A function that counts this device in and waits for the others; `wait` is the one below. Counts only grow, and
 * are compared by their difference, so that they may overflow.
 */
export function renderMeeting({ device, members, control, kind }: Meeting, wait: number): Assembler {
  const asm = new Assembler("meet");
  const count = asm.local("i32");
  const own = control.arrival(device, kind);
  asm.i32(0).op("i32.load", own).i32(1).op("i32.add").set(count);
  asm.i32(0).get(count).op("i32.atomic.store", own);
  asm.i32(0).op("i32.atomic.load", control.sleepers(device, kind));
  asm.branch(() => asm.i32(0).i32(-1).op("memory.atomic.notify", own).op("drop"));
  for (const member of members) {
    if (member === device) continue;
    asm.i32(control.arrival(member, kind)).i32(control.sleepers(member, kind)).get(count).op("call", wait);
  }
  return asm;
}

/** A function of the address of a count, that of its sleepers, and the value that the count must reach. */
export function renderWait(device: number): Assembler {
  const asm = new Assembler("wait", ["i32", "i32", "i32"]);
  const [arrival, sleepers, wanted] = [0, 1, 2];
  const spins = asm.local("i32");
  const pushIsThere = () =>
    asm.get(arrival).op("i32.atomic.load").get(wanted).op("i32.sub").i32(0).op("i32.ge_s");
  const failIfAborted = () =>
    asm
      .i32(0)
      .op("i32.atomic.load", controlWords.abort)
      .branch(() => asm.op("unreachable"));
  const sleep = () => {
    const seen = asm.local("i32");
    const addSleeper = (by: number) => asm.get(sleepers).i32(by).op("i32.atomic.rmw.add").op("drop");
    addSleeper(1);
    // Who comes now sees a sleeper and wakes it, or has been seen by it.
    asm.get(arrival).op("i32.atomic.load").tee(seen).get(wanted).op("i32.sub").i32(0).op("i32.lt_s");
    asm.branch(() => {
      asm.get(arrival).get(seen).op("i64.const", sleepNanoseconds).op("memory.atomic.wait32").op("drop");
    });
    addSleeper(-1);
    asm.release("i32", seen);
  };
  asm.block((leave) => {
    asm.loop((again) => {
      asm.i32(0).op("i32.load", controlWords.spins).set(spins);
      asm.loop((spin) => {
        pushIsThere();
        leave();
        asm.get(spins).i32(1).op("i32.sub").tee(spins).i32(0).op("i32.gt_s");
        spin();
      });
      failIfAborted();
      if (device === 0) asm.i32(0).op("i32.load", controlWords.mayFirstSleep).branch(sleep);
      else sleep();
      asm.i32(1);
      again();
    });
  });
  return asm;
}
