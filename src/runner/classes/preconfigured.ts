// Agents that are made before their runner: what else is said of them must be what they are.
import { fail } from "../../array/index.js";

/** Refuses options that make agents, and a config that is not the agent's. */
export function checkConfig(
  operation: string,
  options: object,
  agentNames: readonly string[],
  own: object,
  cfg: object | undefined,
): void {
  const making = agentNames.find((name) => /(Class|Cfg)$/.test(name) && name in options);
  if (making !== undefined) {
    fail(operation, `${making} is for agents that the runner makes; agent has its networks`);
  }
  const known = own as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(cfg ?? {})) {
    if (name === "numEnvs" || JSON.stringify(known[name]) === JSON.stringify(value)) continue;
    fail(
      operation,
      `cfg.${name} is ${JSON.stringify(value)}, the agent was made with ${JSON.stringify(known[name])}; leave cfg ` +
        "out, or give the agent's",
    );
  }
}
