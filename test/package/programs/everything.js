// Every sub-path of the package in one bundle: a training step, DQN and SAC, and what needs files saying so.
import { grad, jit, np } from "vibe-rl";
import * as agent from "vibe-rl/agent";
import * as dqn from "vibe-rl/algorithms/dqn";
import * as ppo from "vibe-rl/algorithms/ppo";
import * as sac from "vibe-rl/algorithms/sac";
import * as array from "vibe-rl/array";
import * as checkpoint from "vibe-rl/checkpoint";
import * as config from "vibe-rl/config";
import * as env from "vibe-rl/env";
import * as metrics from "vibe-rl/metrics";
import * as nn from "vibe-rl/nn";
import * as plotting from "vibe-rl/plotting";
import * as policy from "vibe-rl/policy";
import * as runDir from "vibe-rl/runDir";
import * as runner from "vibe-rl/runner";
import * as vecEnv from "vibe-rl/vecEnv";

const subPaths = {
  ...{ agent, array, checkpoint, config, dqn, env, metrics, nn, plotting, policy, ppo, runDir, runner, sac },
  vecEnv,
};

/** A line through four points, found by compiled steps of gradient descent. */
function fitLine() {
  const x = np.arange(4);
  const y = x.mul(3).sub(1);
  const loss = ({ slope, offset }) => np.square(x.mul(slope).add(offset).sub(y)).mean();
  const step = jit((params) => {
    const gradient = grad(loss)(params);
    return array.tree.map((p, g) => p.sub(g.mul(0.1)), params, gradient);
  });
  let params = { slope: np.float32(0), offset: np.float32(0) };
  for (let turn = 0; turn < 300; turn++) params = step(params);
  return [params.slope.item(), params.offset.item()];
}

const short = { totalTimesteps: 300, warmupSteps: 100, bufferSize: 300, evalEpisodes: 1, logInterval: 100 };
const runnerConfig = runner.RunnerConfig(short);
const options = { hiddenSizes: [16, 16], batchSize: 16 };

const trainDQN = () =>
  runner.trainDQN(...env.make("CartPole-v1"), { dqnConfig: dqn.DQNConfig(options), runnerConfig });

const trainSAC = () =>
  runner.trainSAC(...env.make("Pendulum-v1"), { sacConfig: sac.SACConfig(options), runnerConfig });

/** What a trained agent does, by itself and from the bytes that a page would fetch. */
async function actions({ agentState }) {
  const own = await policy.createPolicy("dqn", agentState, { config: options });
  const loaded = await policy.loadPolicy(own.toSafetensors().buffer);
  const obs = [0.01, 0, 0.02, 0];
  return [own.act(obs), loaded.act(Float32Array.from(obs))];
}

/** What everybody who touches files says where there are none. */
async function fileErrors() {
  const like = { w: np.ones([2]) };
  const saving = { ...short, checkpointDir: "checkpoints" };
  const actions = {
    RunDir: () => runDir.RunDir("run"),
    "RunDir.open": () => runDir.RunDir.open("run"),
    findRuns: () => runDir.findRuns(),
    saveCheckpoint: () => checkpoint.saveCheckpoint("checkpoints", like),
    loadCheckpoint: () => checkpoint.loadCheckpoint("checkpoints", like),
    loadPolicy: () => policy.loadPolicy("runs/CartPole"),
    saveTree: () => checkpoint.saveTree("tree.safetensors", like),
    listCheckpoints: () => checkpoint.listCheckpoints("checkpoints"),
    CheckpointManager: () => checkpoint.CheckpointManager("checkpoints"),
    MetricsLogger: () => metrics.MetricsLogger("metrics.jsonl"),
    readMetrics: () => metrics.readMetrics("metrics.jsonl"),
    TensorBoardBackend: () => metrics.TensorBoardBackend("logs"),
    resumeWandb: () => metrics.resumeWandb({ project: "p" }),
    setupLogging: () => metrics.setupLogging({ file: "run.log" }),
    plotRewardCurve: () => plotting.plotRewardCurve("run"),
    writeGif: () => plotting.writeGif("a.gif", [{ width: 1, height: 1, pixels: new Uint8Array(4) }]),
    renderEpisodeGif: () => plotting.renderEpisodeGif(["<svg/>"], "a.gif"),
    trainDQN: () =>
      runner.trainDQN(...env.make("CartPole-v1"), {
        dqnConfig: dqn.DQNConfig(options),
        runnerConfig: runner.RunnerConfig(saving),
      }),
  };
  const errors = {};
  for (const [name, action] of Object.entries(actions)) {
    try {
      await action();
      errors[name] = "no error";
    } catch (error) {
      errors[name] = error.message;
    }
  }
  return errors;
}

async function main() {
  const agents = [await trainDQN(), await trainSAC()];
  metrics.logStepProgress(300, 300, { loss: 0.5 });
  return {
    line: fitLine(),
    actions: await actions(agents[0]),
    records: agents.map(({ metricsLog }) => metricsLog.map(({ step }) => step)),
    subPaths: Object.values(subPaths).map((exports) => Object.keys(exports).length),
    errors: await fileErrors(),
  };
}

globalThis.result = main();
