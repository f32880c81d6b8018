// Spaces as plain data, since functions do not come through between threads.
import { arrayType, concrete, type Shape, type TypedArray } from "../../array/index.js";
import { Box, Discrete, Image, MultiBinary, type Space } from "../../env/index.js";

export type PlainSpace =
  | { readonly kind: "Discrete" | "MultiBinary"; readonly n: number }
  | {
      readonly kind: "Box";
      readonly shape: Shape;
      readonly dtype: Box["dtype"];
      readonly low: TypedArray;
      readonly high: TypedArray;
    }
  | {
      readonly kind: "Image";
      readonly shape: Shape;
      readonly dtype: Image["dtype"];
      readonly low: number;
      readonly high: number;
    };

export function plainSpace(space: Space): PlainSpace {
  switch (space.kind) {
    case "Discrete":
    case "MultiBinary":
      return { kind: space.kind, n: space.n };
    case "Box": {
      const { kind, shape, dtype, low, high } = space;
      return { kind, shape: [...shape], dtype, low: low.data(), high: high.data() };
    }
    case "Image": {
      const { kind, shape, dtype, low, high } = space;
      return { kind, shape: [...shape], dtype, low, high };
    }
  }
}

export function spaceOf(plain: PlainSpace): Space {
  switch (plain.kind) {
    case "Discrete":
      return Discrete(plain.n);
    case "MultiBinary":
      return MultiBinary(plain.n);
    case "Box": {
      const { shape, dtype, low, high } = plain;
      const [least, most] = [low, high].map((bound) => concrete(arrayType(shape, dtype), bound));
      return Box({ low: least, high: most, shape, dtype });
    }
    case "Image": {
      const { shape, dtype, low, high } = plain;
      const [height, width, channels] = shape;
      return Image({ height, width, channels, dtype, low, high });
    }
  }
}
