// A policy as machine code and memory: the program for one observation, its constants, and where everything lies.
import { fail, np, random, sizeOf, type Concrete, type DType } from "../../array/index.js";
import { compile, isCompilable, pageBytes, wasmRenderer, type Slot } from "../../compiler/index.js";
import { joined } from "../../files/index.js";
import { actBatchOf, anyKey } from "../acting.js";
import { programOf } from "../program.js";
import type { StoredPolicy } from "../stored.js";

/** Where numbers lie in the module's memory. */
export interface View {
  readonly address: number;
  readonly dtype: DType;
  readonly size: number;
}

/** Bytes that belong at an address. */
export interface Piece {
  readonly address: number;
  readonly bytes: Uint8Array;
}

export interface CompiledPolicy {
  readonly code: Uint8Array;
  readonly pages: number;
  readonly constants: readonly Piece[];
  readonly obs: View;
  readonly action: View;
  /** Of what samples: the random key that it takes, and the next one. */
  readonly key: readonly [given: View, next: View] | null;
}

/** Compiles what a policy does with one observation. */
export function compilePolicy(operation: string, stored: StoredPolicy, sample: boolean): CompiledPolicy {
  const acts = actBatchOf(stored);
  const obs = np.zeros(stored.obsShape, { dtype: stored.obsDtype });
  const { program, constants } = sample
    ? programOf(
        (given, key) => {
          const [actions, next] = acts(given.slice(null), key, true);
          return [actions.slice(0), next];
        },
        [obs, random.key(0)],
      )
    : programOf((given) => [acts(given.slice(null), anyKey(), false)[0].slice(0)], [obs]);
  if (!isCompilable(program)) fail(operation, "a policy with float64 numbers cannot be compiled");
  // Engines without relaxed SIMD have no fused multiplication and addition; the file is for all of them.
  const compiled = compile(program, constants.length, wasmRenderer({ fma: false }));
  const [seen, key] = compiled.inputs.slice(constants.length).map(viewOf);
  const [action, next] = compiled.outputs.map(viewOf);
  return {
    code: withoutCustomSections(compiled.code),
    pages: Math.max(1, Math.ceil(compiled.memoryBytes / pageBytes)),
    constants: piecesOf(compiled.inputs, constants),
    obs: seen,
    action,
    key: sample ? [key, next] : null,
  };
}

const viewOf = ({ address, dtype, shape }: Slot): View => ({ address, dtype, size: sizeOf(shape) });

/** Constants at their addresses; those that lie close together are one piece. */
function piecesOf(slots: readonly Slot[], constants: readonly Concrete[]): Piece[] {
  const placed = constants
    .map(({ elements }, at) => ({
      address: slots[at].address,
      bytes: new Uint8Array(elements.buffer as ArrayBuffer, elements.byteOffset, elements.byteLength),
    }))
    .sort((a, b) => a.address - b.address);
  const pieces: { address: number; parts: Piece[]; end: number }[] = [];
  for (const piece of placed) {
    const last = pieces.at(-1);
    const end = piece.address + piece.bytes.length;
    if (last === undefined || piece.address - last.end > closeBytes) {
      pieces.push({ address: piece.address, parts: [piece], end });
    } else {
      last.parts.push(piece);
      last.end = end;
    }
  }
  return pieces.map(({ address, parts, end }) => {
    const bytes = new Uint8Array(end - address);
    for (const part of parts) bytes.set(part.bytes, part.address - address);
    return { address, bytes };
  });
}

/** The alignment of buffers: gaps up to it are cheaper to write than another address. */
const closeBytes = 64;

/** A module without names and other notes. */
function withoutCustomSections(bytes: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length;) {
    const start = at++;
    let [length, shift] = [0, 0];
    for (;;) {
      const byte = bytes[at++];
      length += (byte & 127) * 2 ** shift;
      shift += 7;
      if (byte < 128) break;
    }
    at += length;
    if (bytes[start] !== 0) kept.push(bytes.subarray(start, at));
  }
  return joined(kept);
}
