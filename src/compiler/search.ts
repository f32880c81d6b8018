// Binary search.

/** The first of so many positions at which something holds that holds from somewhere on; their number if nowhere. */
export function lowerBound(count: number, holds: (position: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
