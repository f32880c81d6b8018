// The whole state of a simulation as plain data: positions, velocities, activations, time, the solver's warm start and
// what users may have set. From it MuJoCo goes on bit for bit.
import type { Physics } from "./types.js";

/** Doubles as pairs of 32-bit words: JSON carries those without a loss, which it does not for −0. */
export type Words = readonly number[];

const partsOf = ({ mujoco }: Physics): number => mujoco.mjtState.mjSTATE_INTEGRATION.value;

/** How many words a state of this model has. */
export const wordCount = (physics: Physics): number =>
  2 * physics.mujoco.mj_stateSize(physics.model, partsOf(physics));

export function readState(physics: Physics): Words {
  const { mujoco, model, data } = physics;
  const buffer = new mujoco.DoubleBuffer(wordCount(physics) / 2);
  try {
    mujoco.mj_getState(model, data, buffer, partsOf(physics));
    return [...new Uint32Array(buffer.GetView().slice().buffer)];
  } finally {
    buffer.delete();
  }
}

export function writeState(physics: Physics, words: Words): void {
  const { mujoco, model, data } = physics;
  const state = new Float64Array(Uint32Array.from(words).buffer);
  mujoco.mj_setState(model, data, state, partsOf(physics));
  // What follows from the state is computed anew; that may change the warm start, so it is set again.
  mujoco.mj_forward(model, data);
  mujoco.mj_setState(model, data, state, partsOf(physics));
}
