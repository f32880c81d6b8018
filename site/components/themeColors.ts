// The theme's colours for what draws on a canvas, and word when they change.

/** How many colours for curves theme.css has. */
export const seriesColorCount = 8;

/** The CSS name of the colour of the curve with this number, from the start again when they run out. */
export const seriesColor = (index: number): string => `--series-${(index % seriesColorCount) + 1}`;

/** A colour as the canvas takes it: custom properties (`--accent`) by their value now, others as they are. */
export const resolveColor = (color: string): string =>
  color.startsWith("--") ? getComputedStyle(document.documentElement).getPropertyValue(color).trim() : color;

/** A colour as a style sheet takes it. */
export const cssColor = (color: string): string => (color.startsWith("--") ? `var(${color})` : color);

/** Calls back when the page turns light or dark; the answer ends that. */
export function onThemeChange(callback: () => void): () => void {
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", callback);
  const observer = new MutationObserver(callback);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => {
    preference.removeEventListener("change", callback);
    observer.disconnect();
  };
}
