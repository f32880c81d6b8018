// Fits a small network to a sine with Adam. The whole run, every epoch included, is one traced program.
import { grad, jit, lax, np, random, tree, type Array } from "vibe-rl/array";

interface Layer {
  readonly w: Array;
  readonly b: Array;
}

const sizes = [1, 16, 16, 1];

function init(key: Array): Layer[] {
  return [...random.split(key, sizes.length - 1)].map((layerKey, index) => {
    const [inputs, outputs] = [sizes[index], sizes[index + 1]];
    return { w: random.normal(layerKey, [inputs, outputs]).div(Math.sqrt(inputs)), b: np.zeros([outputs]) };
  });
}

const forward = (layers: readonly Layer[], x: Array): Array =>
  layers.reduce((h, { w, b }, index) => {
    const z = h.matmul(w).add(b);
    return index < layers.length - 1 ? np.tanh(z) : z;
  }, x);

const inputs = np.linspace(-Math.PI, Math.PI, 64).reshape([64, 1]);
const targets = np.sin(inputs);
const loss = (layers: readonly Layer[]): Array => np.square(forward(layers, inputs).sub(targets)).mean();

/** One step of Adam. */
function step({ params, m, v, t }: { params: Layer[]; m: Layer[]; v: Layer[]; t: Array }) {
  const gradient = grad(loss)(params);
  const time = t.add(1);
  const mean = tree.map((old, g) => old.mul(0.9).add(g.mul(0.1)), m, gradient);
  const square = tree.map((old, g) => old.mul(0.999).add(g.mul(g).mul(0.001)), v, gradient);
  const updated = tree.map(
    (p, a, b) => {
      const direction = a.div(np.power(0.9, time).neg().add(1));
      const scale = np.sqrt(b.div(np.power(0.999, time).neg().add(1))).add(1e-8);
      return p.sub(direction.div(scale).mul(0.02));
    },
    params,
    mean,
    square,
  );
  return { params: updated, m: mean, v: square, t: time };
}

const train = jit((key: Array) => {
  const params = init(key);
  const zeros = tree.map(np.zerosLike, params);
  const start = { params, m: zeros, v: zeros, t: np.float32(0) };
  return lax.scan((state: typeof start) => [step(state), loss(state.params)], start, null, { length: 300 });
});

const [, losses] = train(random.key(0));
for (const at of [0, 100, 200, 299]) console.log(`step ${at}: loss ${losses.slice(at).item().toFixed(6)}`);
