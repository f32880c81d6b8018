// A trained policy as an HTTP service. With RUN=<directory or file> it serves that policy on PORT (8080) until it is
// stopped; without, it trains one for a second, serves it, asks it what to do, and ends.
import type { AddressInfo } from "node:net";
import { make, type Policy } from "vibe-rl";
import { createPolicy, loadPolicy } from "vibe-rl/policy";
import { trainPPO } from "vibe-rl/runner";
import { policyServer } from "./server/policyServer.js";

async function trained(): Promise<Policy> {
  const [env, params] = make("CartPole-v1");
  const ppoConfig = { hiddenSizes: [16], lr: 1e-2, nSteps: 64, numEnvs: 4 };
  const [{ agentState }] = await trainPPO(env, params, {
    ppoConfig,
    runnerConfig: { totalTimesteps: 8_192 },
  });
  const metadata = { environment: "CartPole-v1", step: 8_192 };
  const spaces = {
    actionSpace: env.actionSpace(params),
    observationSpace: env.observationSpace(params),
  };
  return createPolicy("ppo", agentState, { config: ppoConfig, metadata, ...spaces });
}

const { RUN: run, PORT: port = run === undefined ? "0" : "8080" } = process.env;
const policy = run === undefined ? await trained() : await loadPolicy(run);
const server = policyServer(policy);
await new Promise<void>((resolve) => server.listen(Number(port), "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

if (run !== undefined) console.log(`curl ${url}/act --data '{ "obs": [${policy.obsShape.join()} numbers] }'`);
else {
  const ask = async (body: object): Promise<string> => {
    const response = await fetch(`${url}/act`, { method: "POST", body: JSON.stringify(body) });
    return `${response.status} ${await response.text()}`;
  };
  console.log(await (await fetch(url)).text());
  // A pole that falls to the right is caught by going right, which is action 1.
  const [right, left] = [
    [0, 0, 0.1, 0.8],
    [0, 0, -0.1, -0.8],
  ];
  console.log(await ask({ obs: right }));
  console.log(await ask({ batch: [right, left] }));
  console.log(await ask({ obs: [1, 2, 3] }));
  server.close();
}
