// What test/policy/jsModule.test.ts asks of a page: exported modules imported here and in a worker, and the package itself.
import { exportPolicy, loadPolicy } from "../../dist/exports/policy.js";

const urlOf = (code) => URL.createObjectURL(new globalThis.Blob([code], { type: "text/javascript" }));

const plain = (actions) => actions.map((action) => (typeof action === "number" ? action : [...action]));

/** The actions of a module, imported by the page and by a worker. */
async function act({ text, list }) {
  const address = urlOf(text);
  const { actBatch } = await import(address);
  const code = `import { actBatch } from ${JSON.stringify(address)};
    onmessage = ({ data }) => postMessage(actBatch(data));`;
  const worker = new globalThis.Worker(urlOf(code), { type: "module" });
  const inWorker = await new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => resolve(data));
    worker.addEventListener("error", reject);
    worker.postMessage(list);
  });
  worker.terminate();
  return [plain(actBatch(list)), plain(inWorker)];
}

/** A policy of bytes, exported here, and loaded again from what was exported. */
async function exported({ bytes, list }) {
  const loaded = await loadPolicy(Uint8Array.from(bytes));
  const onnx = (await exportPolicy(loaded, { format: "onnx" })).bytes;
  const js = (await exportPolicy(loaded, { format: "js" })).bytes;
  const again = await loadPolicy(onnx);
  return { onnx: [...onnx], js: [...js], actions: [loaded, again].map((one) => one.actBatch(list)) };
}

globalThis.policies = { act, exported };
