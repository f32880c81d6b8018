// Elements written as function calls: the pages have no framework, and text never becomes markup.

/** What may stand inside an element; null and false stand for nothing. */
export type Child = Node | string | number | null | false | undefined;

type Tags = HTMLElementTagNameMap;

/** Listeners by event name, as `{ click: () => … }`. */
export type Listeners = {
  readonly [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void;
};

/** Attributes by their HTML names; `true` is an attribute without a value, false and undefined leave it out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>> & {
  readonly on?: never;
};

/** A new element with its attributes and content: `element("button", { type: "button" }, ["Stop"], { click })`. */
export function element<Tag extends keyof Tags>(
  tag: Tag,
  attributes: Attributes = {},
  children: readonly Child[] = [],
  listeners: Listeners = {},
): Tags[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [name, listener] of Object.entries(listeners)) {
    made.addEventListener(name, listener as EventListener);
  }
  append(made, children);
  return made;
}

/** Adds children to a node. */
export function append(parent: ParentNode, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(typeof child === "number" ? String(child) : child);
  }
}

/** Replaces what is in a node. */
export function fill(parent: ParentNode, ...children: readonly Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

/** The element with this id, which the page must have, of this class. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no <${kind.name}> with the id ${id}`);
  return found;
}

/** A button that does something; `options.kind` is a class of theme.css, as primary or danger. */
export function button(
  label: string,
  click: () => void,
  { kind, title, pressed }: { kind?: string; title?: string; pressed?: boolean } = {},
): HTMLButtonElement {
  return element(
    "button",
    {
      type: "button",
      class: kind,
      title,
      "aria-pressed": pressed === undefined ? undefined : String(pressed),
    },
    [label],
    { click },
  );
}

/** A control with its name beside it. */
export const labelled = (name: string, control: HTMLElement): HTMLLabelElement =>
  element("label", { class: "labelled" }, [element("span", { class: "muted" }, [name]), control]);

/** A choice of several values. */
export function choice(
  options: readonly { readonly value: string; readonly label?: string }[],
  chosen: string,
  change: (value: string) => void,
): HTMLSelectElement {
  const select = element(
    "select",
    {},
    options.map(({ value, label = value }) =>
      element("option", { value, selected: value === chosen }, [label]),
    ),
  );
  select.addEventListener("change", () => change(select.value));
  return select;
}

/** Calls `work` once in the next frame, however often it is asked for before. */
export function oncePerFrame(work: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      work();
    });
  };
}
