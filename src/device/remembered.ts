// What was used last, by name.

/** How many compiled programs are remembered. */
const most = 64;

export class Remembered<T> {
  private readonly known = new Map<string, T>();

  recall(key: string): T | undefined {
    const value = this.known.get(key);
    if (value !== undefined) this.remember(key, value);
    return value;
  }

  remember(key: string, value: T): T {
    this.known.delete(key);
    this.known.set(key, value);
    if (this.known.size > most) this.known.delete(this.known.keys().next().value ?? "");
    return value;
  }
}
