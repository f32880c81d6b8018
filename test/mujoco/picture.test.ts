// Pictures of simulations: every geom is there, in its place, in its colour.
import { afterEach, describe, expect, it } from "vitest";
import { drawScene, makeMujoco, type Camera, type MujocoEnv, type Solid } from "vibe-rl/mujoco";
import { svgRenderer } from "../../src/plotting/video/svgFrame.js";
import { describeMujoco } from "./installed.js";
import { shapes } from "./models.js";

const open: MujocoEnv[] = [];
async function start(task: Parameters<typeof makeMujoco>[0]): Promise<MujocoEnv> {
  const env = await makeMujoco(task);
  open.push(env);
  env.reset(0);
  return env;
}
afterEach(() => {
  for (const env of open.splice(0)) env.close();
});

/** Shapes by their colours. */
const filled = (svg: string, fill: string): string[] =>
  svg.match(/<\w+ [^>]*\/>/g)?.filter((shape) => shape.includes(`fill="${fill}"`)) ?? [];

const numberOf = (shape: string, name: string): number =>
  Number(new RegExp(` ${name}="([^"]*)"`).exec(shape)?.[1]);

const camera: Camera = {
  width: 200,
  height: 100,
  scale: 50,
  project: ([x, , z]) => [100 + 50 * x, 50 - 50 * z],
  turn: ([x, , z]) => [x, -z],
  depth: ([, y]) => y,
};
const upright = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
] as const;
const solid = (more: Partial<Solid>): Solid => ({
  kind: "sphere",
  center: [0, 0, 0],
  axes: upright,
  size: [0.5, 0.5, 0.5],
  color: [1, 0, 0, 1],
  ...more,
});

describe("drawScene", () => {
  it("draws each kind of solid where it is", () => {
    const svg = drawScene(
      [
        solid({ kind: "sphere", center: [1, 0, 0.5] }),
        solid({ kind: "capsule", size: [0.1, 0.4, 0], color: [0, 1, 0, 1] }),
        solid({ kind: "box", size: [0.2, 1, 0.4], color: [0, 0, 1, 0.25] }),
        solid({ kind: "cylinder", size: [0.2, 0.4, 0], color: [1, 1, 0, 1] }),
      ],
      camera,
    );
    expect(filled(svg, "rgb(255,0,0)")).toEqual([
      expect.stringMatching(/<circle cx="150" cy="25" r="25" .*stroke="rgb\(179,0,0\)"/),
    ]);
    const [capsule] = filled(svg, "rgb(0,255,0)");
    expect([numberOf(capsule, "width"), numberOf(capsule, "height"), numberOf(capsule, "rx")]).toEqual([
      50, 10, 5,
    ]);
    expect(capsule).toContain('transform="rotate(-90.00 100.00 50.00)"');
    expect(filled(svg, "rgb(0,0,255)")[0]).toMatch(
      /points="90,30 110,30 110,70 90,70 90,30" .*opacity="0.25"/,
    );
    // From the side a standing cylinder is a rectangle.
    expect(filled(svg, "rgb(255,255,0)")[0]).toContain('points="90,30 110,30 110,70 90,70 90,30"');
  });

  it("draws what is near over what is far", () => {
    const [near, far] = [solid({ center: [0, -1, 0] }), solid({ center: [0, 1, 0], color: [0, 0, 0, 1] })];
    for (const list of [
      [near, far],
      [far, near],
    ]) {
      const svg = drawScene(list, camera);
      expect(svg.indexOf("rgb(0,0,0)")).toBeLessThan(svg.indexOf("rgb(255,0,0)"));
    }
  });

  it("fills the ground below a plane from side to side, and only as far as the plane goes", () => {
    const endless = drawScene([solid({ kind: "plane", size: [0, 0, 1] })], camera);
    const points = /points="([^"]*)" fill="#e2e8f0"/.exec(endless)?.[1].split(" ") ?? [];
    const at = points.map((point) => point.split(",").map(Number));
    expect(Math.min(...at.map(([x]) => x))).toBeLessThanOrEqual(0);
    expect(Math.max(...at.map(([x]) => x))).toBeGreaterThanOrEqual(200);
    expect(Math.min(...at.map(([, y]) => y))).toBe(50);
    const short = drawScene([solid({ kind: "plane", size: [1, 1, 1] })], camera);
    expect(short).toContain('points="50,50 150,50');
    // Seen from its face it would hide everything.
    const wall = solid({ kind: "plane", axes: [upright[0], upright[2], upright[1]] });
    expect(drawScene([wall], camera)).not.toContain("polyline");
  });
});

describeMujoco("a MuJoCo environment's picture", () => {
  it("has all geoms that MuJoCo's viewer shows, other shapes as boxes", async () => {
    const env = await start(shapes);
    const svg = env.render();
    // Two spheres, of which one slides; a capsule; box, cylinder and the ellipsoid as a box.
    expect(svg.match(/<circle/g)).toHaveLength(2);
    expect(svg.match(/<rect [^>]*rotate/g)).toHaveLength(1);
    expect(svg.match(/<polyline [^>]*stroke="rgb/g)).toHaveLength(3);
    const [sphere] = filled(svg, "rgb(255,0,0)");
    expect([numberOf(sphere, "cx"), numberOf(sphere, "cy"), numberOf(sphere, "r")]).toEqual([200, 200, 20]);
  });

  it.each([
    ["InvertedPendulum", 3],
    ["InvertedDoublePendulum", 4],
    ["Hopper", 4],
  ] as const)("of %s is a valid SVG with %i capsules", async (name, count) => {
    const env = await start(name);
    const svg = env.render();
    expect(svg.match(/<rect [^>]*rotate/g)).toHaveLength(count);
    const draw = await svgRenderer("test");
    const frame = draw(svg, 300);
    expect([frame.width, frame.height]).toEqual([300, 200]);
    expect(new Set(frame.pixels).size).toBeGreaterThan(10);
  });

  it("follows the body that the camera is told to, while the ground moves by", async () => {
    const env = await start("Hopper");
    const torso = () => filled(env.render(), "rgb(38,99,235)")[0];
    const [before, ground] = [torso(), filled(env.render(), "#94a3b8")];
    env.physics.data.qpos[0] += 0.3;
    expect(torso()).toBe(before);
    expect(filled(env.render(), "#94a3b8")).not.toEqual(ground);
  });

  it("can be seen from the front", async () => {
    const env = await start({ ...shapes, camera: { ...shapes.camera, azimuth: 90 } });
    // The sphere is at x = −1, straight ahead, behind everything else.
    const [sphere] = filled(env.render(), "rgb(255,0,0)");
    expect(numberOf(sphere, "cx")).toBe(300);
  });

  it("refuses to follow a body that is not there, and names the nearest", async () => {
    const env = await start({ ...shapes, camera: { follow: "slidr" } });
    expect(() => env.render()).toThrow('the camera follows "slidr", no body; the nearest is slider');
    const blind = await start({ ...shapes, camera: { metres: 0 } });
    expect(() => blind.render()).toThrow("the camera's metres must be greater than 0, got 0");
  });
});
