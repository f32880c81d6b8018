// GrayscaleWrapper, ImageNormWrapper and ImageResizeWrapper: pictures as networks like them.
import { fail, type Array } from "../../array/index.js";
import { restart, type Environment, type Info } from "../environment.js";
import { Image } from "../spaces.js";
import { resizeWithPad } from "./resize.js";
import { handOnAll, withTerminalObs } from "./wrapping.js";

/** The images of an environment; refused if it has something else. */
function imagesOf<S, P>(wrapper: string, env: Environment<S, P>, params: P): Image {
  const space = env.observationSpace(params);
  if (space.kind === "Image") return space;
  return fail(wrapper, `needs an environment with Image observations; ${env.name} has ${space.toString()}`);
}

/** A wrapper that sees each image by itself. */
function seeing<S, P, I extends Info>(
  wrapper: string,
  env: Environment<S, P, I>,
  newSpace: (own: Image) => Image,
  see: (image: Array) => Array,
): Environment<S, P, I> {
  newSpace(imagesOf(wrapper, env, env.defaultParams()));
  const begin = ([obs, state]: readonly [Array, S]): readonly [Array, S] => [see(obs), state];
  return {
    ...handOnAll(wrapper, env),
    observationSpace: (params) => newSpace(imagesOf(wrapper, env, params)),
    reset: (key, params) => begin(env.reset(key, params)),
    restart: (key, state, params) => begin(restart(env, key, state, params)),
    step(key, state, action, params) {
      const [obs, next, reward, done, info] = env.step(key, state, action, params);
      return [see(obs), next, reward, done, withTerminalObs(info, see)];
    },
  };
}

/** Floats in the dtype of the image they were computed from. */
const inDType = (values: Array, { dtype }: Array): Array =>
  dtype === "uint8" ? values.round().clip(0, 255).astype("uint8") : values;

/** The weights of red, green and blue in brightness (ITU-R 601). */
const brightness = [0.2989, 0.587, 0.114];

/** RGB images [height, width, 3] as grey ones [height, width, 1] of the same dtype. */
export const GrayscaleWrapper = <S, P, I extends Info>(env: Environment<S, P, I>): Environment<S, P, I> =>
  seeing(
    "GrayscaleWrapper",
    env,
    (own) => {
      if (own.channels !== 3) {
        fail("GrayscaleWrapper", `needs images with 3 channels; ${env.name} has ${own.toString()}`);
      }
      return Image({ ...own, channels: 1 });
    },
    (image) => {
      const [red, green, blue] = brightness.map((weight, channel) =>
        image
          .slice("...", { start: channel, stop: channel + 1 })
          .astype("float32")
          .mul(weight),
      ) as [Array, Array, Array];
      return inDType(red.add(green).add(blue), image);
    },
  );

/** Images of uint8 as float32 between −1 and 1: `x / 127.5 − 1`. */
export const ImageNormWrapper = <S, P, I extends Info>(env: Environment<S, P, I>): Environment<S, P, I> =>
  seeing(
    "ImageNormWrapper",
    env,
    (own) => {
      if (own.dtype !== "uint8") {
        fail("ImageNormWrapper", `needs uint8 images; ${env.name} has ${own.toString()}`);
      }
      return Image({ ...own, dtype: "float32", low: own.low / 127.5 - 1, high: own.high / 127.5 - 1 });
    },
    (image) => image.astype("float32").div(127.5).sub(1),
  );

export interface ImageResizeOptions {
  readonly height: number;
  readonly width: number;
}

/** Images scaled (bilinear, smoothed where they shrink) to fit height × width, centred, with zeros around. */
export const ImageResizeWrapper = <S, P, I extends Info>(
  env: Environment<S, P, I>,
  { height, width }: ImageResizeOptions,
): Environment<S, P, I> =>
  seeing(
    "ImageResizeWrapper",
    env,
    (own) => Image({ ...own, height, width, low: Math.min(own.low, 0), high: Math.max(own.high, 0) }),
    (image) => inDType(resizeWithPad(image.astype("float32"), height, width), image),
  );
