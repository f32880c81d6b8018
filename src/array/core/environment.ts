// Settings from outside, where there is an outside: Node's environment variables, none in a browser.

/** The value of an environment variable, if it is set to something. */
export function environment(name: string): string | undefined {
  const host: { process?: { env?: Record<string, string | undefined> } } = globalThis;
  const value = host.process?.env?.[name];
  return value === "" ? undefined : value;
}
