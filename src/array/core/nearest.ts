// Unknown names answer with the nearest known ones.

/** Edits that turn one text into the other: letters put in, taken out or replaced. */
function editDistance(a: string, b: string): number {
  let row = globalThis.Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}

/** Letters and digits alone: `cart_pole` and `CartPole` are the same to a reader. */
const essence = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** The known names that are most like a given one, nearest first; all of them where none is like it. */
function nearestNames(name: string, known: readonly string[], count = 3): string[] {
  const wanted = essence(name);
  const ranked = known
    .map((candidate) => {
      const own = essence(candidate);
      const contains = wanted !== "" && (own.includes(wanted) || wanted.includes(own));
      const distance = editDistance(wanted, own);
      return { candidate, distance: contains ? Math.min(distance, 1) : distance, length: own.length };
    })
    .sort((a, b) => a.distance - b.distance);
  const alike = ranked.filter(
    ({ distance, length }) => distance <= Math.max(2, Math.max(wanted.length, length) / 2),
  );
  return alike.length === 0 ? [...known] : alike.slice(0, count).map(({ candidate }) => candidate);
}

/** The known name that somebody may have meant; `null` where it is not clear. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const names = nearestNames(name, known, 1);
  return names.length === 1 ? names[0] : null;
}

/** The nearest known names as they read in a message: `the nearest is CartPole-v1`. */
export function tellNearest(name: string, known: readonly string[]): string {
  const names = nearestNames(name, known);
  return names.length === 0
    ? "there are none"
    : `the nearest ${names.length === 1 ? "is" : "are"} ${names.join(", ")}`;
}
