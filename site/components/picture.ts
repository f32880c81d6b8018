// Pictures of environments in the page: SVG text becomes elements, without what could run or load anything.

const refused = "script, foreignObject, a, iframe, image, use, style, animate, set";

/** Draws an SVG text into an element; throws where it is none. */
export function drawPicture(host: Element, svg: string): void {
  const { documentElement: root } = new DOMParser().parseFromString(svg, "image/svg+xml");
  if (root.localName !== "svg" || root.querySelector("parsererror") !== null) {
    throw new Error(`render must return SVG, got ${JSON.stringify(svg.slice(0, 80))}`);
  }
  for (const bad of root.querySelectorAll(refused)) bad.remove();
  for (const one of [root, ...root.querySelectorAll("*")]) {
    for (const { name } of [...one.attributes]) if (/^on|href$/i.test(name)) one.removeAttribute(name);
  }
  root.setAttribute("role", "img");
  host.replaceChildren(root);
}
