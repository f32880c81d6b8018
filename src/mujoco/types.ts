// The part of the package @mujoco/mujoco that we use. It is optional, so that its own types may not be there.

/** What lives in MuJoCo's memory, which no garbage collector sees. */
export interface Native {
  delete(): void;
  isDeleted(): boolean;
}

/** A compiled model: MuJoCo's `mjModel`. Lists are views of its memory, good until the next call of MuJoCo. */
export interface MujocoModel extends Native {
  readonly nq: number;
  readonly nv: number;
  readonly nu: number;
  readonly nbody: number;
  readonly ngeom: number;
  readonly names: Int8Array;
  readonly name_bodyadr: Int32Array;
  readonly opt: { readonly timestep: number };
  readonly qpos0: Float64Array;
  readonly actuator_ctrlrange: Float64Array;
  readonly geom_type: Int32Array;
  readonly geom_group: Int32Array;
  readonly geom_matid: Int32Array;
  readonly geom_size: Float64Array;
  readonly geom_aabb: Float64Array;
  readonly geom_rgba: Float32Array;
  readonly mat_rgba: Float32Array;
}

/** The state of a simulation and what follows from it: MuJoCo's `mjData`. Lists are views, as in the model. */
export interface MujocoData extends Native {
  time: number;
  readonly qpos: Float64Array;
  readonly qvel: Float64Array;
  readonly qacc: Float64Array;
  readonly ctrl: Float64Array;
  readonly energy: Float64Array;
  readonly qfrc_constraint: Float64Array;
  readonly sensordata: Float64Array;
  readonly xpos: Float64Array;
  readonly subtree_com: Float64Array;
  readonly site_xpos: Float64Array;
  readonly geom_xpos: Float64Array;
  readonly geom_xmat: Float64Array;
}

interface Doubles extends Native {
  GetView(): Float64Array;
}

/** MuJoCo, loaded. */
export interface Mujoco {
  readonly MjModel: { from_xml_string(xml: string): MujocoModel };
  readonly MjData: new (model: MujocoModel) => MujocoData;
  readonly DoubleBuffer: new (length: number) => Doubles;
  readonly mjtState: { readonly mjSTATE_INTEGRATION: { readonly value: number } };
  readonly mjtObj: { readonly mjOBJ_BODY: { readonly value: number } };
  mj_versionString(): string;
  mj_name2id(model: MujocoModel, kind: number, name: string): number;
  mj_resetData(model: MujocoModel, data: MujocoData): void;
  mj_forward(model: MujocoModel, data: MujocoData): void;
  mj_kinematics(model: MujocoModel, data: MujocoData): void;
  mj_step(model: MujocoModel, data: MujocoData): void;
  mj_stateSize(model: MujocoModel, parts: number): number;
  mj_getState(model: MujocoModel, data: MujocoData, state: Doubles, parts: number): void;
  mj_setState(model: MujocoModel, data: MujocoData, state: Float64Array, parts: number): void;
}

/** One simulation, as tasks see it. */
export interface Physics {
  readonly mujoco: Mujoco;
  readonly model: MujocoModel;
  readonly data: MujocoData;
  /** Seconds that an action lasts: the model's time step × frame skip. */
  readonly dt: number;
}
