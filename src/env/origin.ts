// Which environments `make` has made: a run can be set up again from an id, not from an object.

const ids = new WeakMap<object, string>();

/** The id that `make` was given for an environment; `null` if it comes from elsewhere. */
export const idOf = (env: object): string | null => ids.get(env) ?? null;

/** Notes the id of an environment. */
export function rememberId<E extends object>(env: E, id: string | null): E {
  if (id !== null) ids.set(env, id);
  return env;
}
