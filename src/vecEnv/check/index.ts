// Checks of environments that are objects, alone and side by side.
export { checkHostEnv, hostEnvProblems, type CheckHostEnvOptions } from "./hostEnv.js";
export { checkVecEnv, vecEnvProblems, type CheckVecEnvOptions } from "./vecEnv.js";
