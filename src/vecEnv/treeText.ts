// Trees of arrays as text, bit for bit: what JSON carries.
import {
  arrayType,
  concrete,
  itemSize,
  sizeOf,
  tree,
  viewBytes,
  type Array,
  type DType,
  type Shape,
} from "../array/index.js";

interface LeafType {
  readonly shape: Shape;
  readonly dtype: DType;
}

/** The elements of all arrays of a tree, one behind the other, in base64. */
export function treeToText(values: unknown): string {
  const parts: string[] = [];
  for (const leaf of tree.leaves(values) as Array[]) {
    const data = leaf.data();
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    // A call takes only so many arguments.
    for (let at = 0; at < bytes.length; at += 4096) {
      parts.push(String.fromCharCode(...bytes.subarray(at, at + 4096)));
    }
  }
  return btoa(parts.join(""));
}

/** The tree again, in the structure and with the types of `like`; `null` if the text is not of such a tree. */
export function treeFromText<T>(text: string, like: T): T | null {
  const types = tree.leaves(like) as readonly LeafType[];
  const sizes = types.map(({ shape, dtype }) => sizeOf(shape) * itemSize(dtype));
  const wanted = sizes.reduce((sum, size) => sum + size, 0);
  const binary = decode(text);
  if (binary?.length !== wanted) return null;
  let offset = 0;
  const arrays = types.map(({ shape, dtype }, at) => {
    const bytes = Uint8Array.from({ length: sizes[at] }, (_, byte) => binary.charCodeAt(offset + byte));
    offset += sizes[at];
    return concrete(arrayType(shape, dtype), viewBytes(dtype, bytes.buffer, 0, sizeOf(shape)));
  });
  return tree.unflatten<T>(tree.structure(like), arrays);
}

/** The characters of base64; `null` if it is none. */
function decode(text: string): string | null {
  try {
    return atob(text);
  } catch {
    return null;
  }
}
