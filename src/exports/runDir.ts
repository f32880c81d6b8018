// vibe-rl/runDir: the directory of a run.
export { camelCaseName, snakeCaseName, toCamelCase, toSnakeCase } from "../files/index.js";
export * from "../runDir/index.js";
