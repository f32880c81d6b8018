// The layer rule: a layer imports only from layers below it, and only through their index.
import path from "node:path";

/** From bottom to top; one line a layer. A layer may import from any earlier line. */
const layers = [
  "node",
  "array",
  "compiler",
  "device",
  "nn",
  "env",
  "agent",
  "algorithms",
  "vecEnv",
  "mujoco",
  "sharding",
  "files",
  "checkpoint",
  "metrics",
  "plotting",
  "runDir",
  "policy",
  "runner",
  "config",
  "dashboard",
  "cli",
  "exports",
  "index",
];

/** The part of a path below src/ as [layer, rest…]. */
function placeOf(file) {
  const parts = file.split(path.sep);
  const src = parts.lastIndexOf("src");
  if (src < 0) return null;
  const [layer, ...rest] = parts.slice(src + 1);
  return { layer: layer.replace(/\.[jt]s$/, ""), rest: rest.join("/") };
}

const layerRule = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      unknown: "`{{layer}}` is not in the list of layers in tools/layerRule.js; put it where it belongs.",
      upwards: "`{{from}}` may import only layers below it; `{{to}}` is not one.",
      inside: "Import `{{to}}` through its index, not `{{rest}}`.",
    },
  },
  create(context) {
    const from = placeOf(context.filename);
    const check = (node) => {
      const target = node.source?.value;
      if (from === null || typeof target !== "string" || !target.startsWith(".")) return;
      const to = placeOf(path.resolve(path.dirname(context.filename), target));
      if (to === null || to.layer === from.layer) return;
      for (const { layer } of [from, to]) {
        if (!layers.includes(layer)) return context.report({ node, messageId: "unknown", data: { layer } });
      }
      const data = { from: from.layer, to: to.layer, rest: to.rest };
      if (layers.indexOf(to.layer) > layers.indexOf(from.layer))
        context.report({ node, messageId: "upwards", data });
      // The public faces have a file each.
      else if (to.layer !== "exports" && to.rest !== "" && to.rest !== "index.js")
        context.report({ node, messageId: "inside", data });
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
  },
};

export default { meta: { name: "vibe-rl" }, rules: { layers: layerRule } };
