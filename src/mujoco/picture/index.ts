// Pictures of simulations: a small renderer of our own.
export { sideCamera, type Camera, type CameraOptions } from "./camera.js";
export { drawScene } from "./draw.js";
export { readScene, type Solid, type SolidKind, type Vector } from "./scene.js";
