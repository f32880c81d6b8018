// PPO on CartPole, the whole training run as one program: 4 environments × 128 steps, two (64, 64) tanh networks,
// 4 epochs × 4 minibatches, Adam with the gradient's norm clipped. limit/limit.c has the same loop by hand.
import { lax, nn, np, random, tree, valueAndGrad, vmap } from "vibe-rl/array";
import { observe, reset, step } from "./cartPoleEnv.mjs";

const environments = 4;
const rolloutLength = 128;
const epochs = 4;
const minibatches = 4;
const discount = 0.99;
const gaeLambda = 0.95;

/** Environment steps of one update. */
export const stepsPerUpdate = environments * rolloutLength;

function initNetwork(key, sizes, lastScale) {
  return [...random.split(key, sizes.length - 1)].map((layerKey, at) => {
    const [inputs, outputs] = [sizes[at], sizes[at + 1]];
    const scale = at === sizes.length - 2 ? lastScale : Math.SQRT2;
    return {
      w: random.normal(layerKey, [inputs, outputs]).mul(scale / Math.sqrt(inputs)),
      b: np.zeros([outputs]),
    };
  });
}

const forward = (layers, x) =>
  layers.reduce((h, { w, b }, at) => {
    const z = h.matmul(w).add(b);
    return at < layers.length - 1 ? np.tanh(z) : z;
  }, x);

const valueOf = (params, obs) => forward(params.critic, obs).slice(":", 0);

/** One step of Adam on gradients whose common norm is cut off at 0.5. */
function adam(gradients, { mean, square, time }, params, learningRate) {
  const norm = np.sqrt(tree.leaves(gradients).reduce((sum, g) => sum.add(np.square(g).sum()), np.float32(0)));
  const scale = np.minimum(1, np.divide(0.5, norm.add(1e-6)));
  const clipped = tree.map((g) => g.mul(scale), gradients);
  const next = {
    mean: tree.map((m, g) => m.mul(0.9).add(g.mul(0.1)), mean, clipped),
    square: tree.map((v, g) => v.mul(0.999).add(g.mul(g).mul(0.001)), square, clipped),
    time: time.add(1),
  };
  const [bias1, bias2] = [0.9, 0.999].map((decay) => np.subtract(1, np.power(decay, next.time)));
  const updated = tree.map(
    (p, m, v) =>
      p.sub(
        m
          .div(bias1)
          .mul(learningRate)
          .div(np.sqrt(v.div(bias2)).add(1e-5)),
      ),
    params,
    next.mean,
    next.square,
  );
  return [updated, next];
}

/** The clipped surrogate, the value error and the entropy of one minibatch. */
function loss(params, { obs, action, logProb, advantage, target }) {
  const logProbs = nn.logSoftmax(forward(params.actor, obs));
  const newLogProb = np.takeAlongAxis(logProbs, action.slice(":", null), 1).squeeze(1);
  const scaled = advantage.sub(advantage.mean()).div(advantage.std().add(1e-8));
  const ratio = np.exp(newLogProb.sub(logProb));
  const actorLoss = np.minimum(ratio.mul(scaled), ratio.clip(0.8, 1.2).mul(scaled)).mean().neg();
  const valueLoss = np.square(valueOf(params, obs).sub(target)).mean().mul(0.5);
  const entropy = np.exp(logProbs).mul(logProbs).sum(-1).mean().neg();
  return actorLoss.add(valueLoss.mul(0.5)).sub(entropy.mul(0.01));
}

/** Plays all environments with the policy; returns where they are then, and what happened. */
const play = (params, start) =>
  lax.scan(
    ({ state, obs, key }) => {
      const [next, actionKey, stepKey] = random.split(key, 3);
      const logits = forward(params.actor, obs);
      const action = random.categorical(actionKey, logits);
      const logProb = np.takeAlongAxis(nn.logSoftmax(logits), action.slice(":", null), 1).squeeze(1);
      const stepKeys = random.split(stepKey, environments);
      const { state: newState, done } = vmap(step)(stepKeys, state, action.equal(1));
      return [
        { state: newState, obs: vmap(observe)(newState), key: next },
        { obs, action, logProb, value: valueOf(params, obs), done },
      ];
    },
    start,
    null,
    { length: rolloutLength },
  );

/** Generalised advantages, from the last step to the first; every reward is 1. */
function advantages({ value, done }, lastValue) {
  const [, advantage] = lax.scan(
    ([following, nextValue], turn) => {
      const goesOn = np.subtract(1, turn.done.astype("float32"));
      const delta = nextValue.mul(goesOn).mul(discount).add(1).sub(turn.value);
      const result = delta.add(following.mul(goesOn).mul(discount * gaeLambda));
      return [[result, turn.value], result];
    },
    [np.zerosLike(lastValue), lastValue],
    { value, done },
    { reverse: true },
  );
  return advantage;
}

function update({ params, optimizer, ...start }, learningRate) {
  const [{ state, obs, key }, rollout] = play(params, start);
  const advantage = advantages(rollout, valueOf(params, obs));
  const batch = tree.map((x) => x.reshape([stepsPerUpdate, ...x.shape.slice(2)]), {
    obs: rollout.obs,
    action: rollout.action,
    logProb: rollout.logProb,
    advantage,
    target: advantage.add(rollout.value),
  });
  const epoch = ([params, optimizer, key]) => {
    const [next, shuffleKey] = random.split(key);
    const order = random.permutation(shuffleKey, stepsPerUpdate);
    const shuffled = tree.map(
      (x) => np.take(x, order, 0).reshape([minibatches, stepsPerUpdate / minibatches, ...x.shape.slice(1)]),
      batch,
    );
    const [[newParams, newOptimizer], losses] = lax.scan(
      ([p, o], minibatch) => {
        const [value, gradients] = valueAndGrad(loss)(p, minibatch);
        return [adam(gradients, o, p, learningRate), value];
      },
      [params, optimizer],
      shuffled,
    );
    return [[newParams, newOptimizer, next], losses.mean()];
  };
  const [[newParams, newOptimizer, nextKey], losses] = lax.scan(epoch, [params, optimizer, key], null, {
    length: epochs,
  });
  const episodes = rollout.done.astype("float32").sum();
  return [
    { params: newParams, optimizer: newOptimizer, state, obs, key: nextKey },
    { loss: losses.mean(), episodeLength: np.divide(stepsPerUpdate, np.maximum(episodes, 1)) },
  ];
}

/** The training run: from a key to what every update measured. */
export const trainPPO =
  ({ updates, learningRate = 2.5e-4, hidden = [64, 64] }) =>
  (seed) => {
    const [actorKey, criticKey, resetKey, key] = random.split(seed, 4);
    const params = {
      actor: initNetwork(actorKey, [4, ...hidden, 2], 0.01),
      critic: initNetwork(criticKey, [4, ...hidden, 1], 1),
    };
    const zeros = tree.map(np.zerosLike, params);
    const optimizer = { mean: zeros, square: zeros, time: np.float32(0) };
    const state = vmap(reset)(random.split(resetKey, environments));
    const start = { params, optimizer, state, obs: vmap(observe)(state), key };
    return lax.scan((carry) => update(carry, learningRate), start, null, { length: updates })[1];
  };
