// Value classes that are made as `Mesh(…)`, the way of the project, and as `new Mesh(…)`, the way of JavaScript.

/** A function that makes instances of a class, as something that `new` and `instanceof` take too. */
export function constructible<A extends readonly never[], T extends object, F extends (...args: A) => T>(
  make: F,
  type: abstract new (...args: never[]) => T,
): F & (new (...args: Parameters<F>) => T) {
  // What `new` makes is what the function returns.
  Object.defineProperty(make, "prototype", { value: type.prototype });
  // What the console shows. Written into the class, it would keep bundlers from leaving out those that nobody uses.
  Object.defineProperty(type.prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: { toString(): string }): string {
      return this.toString();
    },
  });
  return make as F & (new (...args: Parameters<F>) => T);
}
