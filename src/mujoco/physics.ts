// A model compiled and its simulation started.
import { Box } from "../env/index.js";
import { fail, messageOf } from "./errors.js";
import type { Mujoco, MujocoData, MujocoModel, Physics } from "./types.js";

/** Compiles a model; MuJoCo's own words say what is wrong with it. */
function compile(operation: string, mujoco: Mujoco, xml: string): MujocoModel {
  try {
    return mujoco.MjModel.from_xml_string(xml);
  } catch (error) {
    const reason = messageOf(error).replaceAll(/\s+/g, " ").trim();
    return fail(operation, `MuJoCo cannot compile the model: ${reason}`, { cause: error });
  }
}

/** A simulation of a model, or neither of them where memory is short. */
function simulate(operation: string, mujoco: Mujoco, model: MujocoModel): MujocoData {
  try {
    return new mujoco.MjData(model);
  } catch (error) {
    model.delete();
    const advice = "close() environments that are done, or give the model a smaller <size memory>";
    return fail(operation, `MuJoCo cannot start the simulation: ${messageOf(error)}; ${advice}`, {
      cause: error,
    });
  }
}

/** The bounds of actions: those of the actuators' controls; without a range there are none. */
export function actionSpaceOf(operation: string, { nu, actuator_ctrlrange: range }: MujocoModel): Box {
  if (nu === 0) fail(operation, "the model has no actuator, so there is nothing to act with; add one to it");
  const bounds = Array.from({ length: nu }, (_, index) => [range[2 * index], range[2 * index + 1]] as const);
  return Box({
    low: bounds.map(([low, high]) => (low < high ? low : -Infinity)),
    high: bounds.map(([low, high]) => (low < high ? high : Infinity)),
  });
}

/** The simulation of a model in its first state; an action lasts `frameSkip` steps of it. */
export function startPhysics(operation: string, mujoco: Mujoco, xml: string, frameSkip: number): Physics {
  const model = compile(operation, mujoco, xml);
  const data = simulate(operation, mujoco, model);
  mujoco.mj_forward(model, data);
  return { mujoco, model, data, dt: model.opt.timestep * frameSkip };
}
