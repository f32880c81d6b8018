// Functions of node:fs as mocks that do their work until a test makes them fail.
import fs from "node:fs";
import { vi } from "vitest";

type AnyFunction = (...args: never[]) => unknown;
type FunctionName = {
  [K in keyof typeof fs]: (typeof fs)[K] extends AnyFunction ? K : never;
}[keyof typeof fs];

/** Mocks functions of node:fs for the rest of a test file. */
export function mockDisk(...names: readonly FunctionName[]): void {
  const functions = fs as unknown as Record<string, AnyFunction>;
  for (const name of names) {
    const original = functions[name];
    vi.spyOn(functions, name).mockImplementation(original);
  }
}
