// Light, dark, or as the system has it: a button that goes round, and remembers.

const stored = "vibe-rl-theme";
const order = ["auto", "light", "dark"] as const;
type Theme = (typeof order)[number];

const read = (): Theme => order.find((theme) => theme === localStorage.getItem(stored)) ?? "auto";

export function startTheme(button: HTMLButtonElement): void {
  const apply = (theme: Theme): void => {
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = theme;
    button.textContent = `theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(read()) + 1) % order.length];
    localStorage.setItem(stored, next);
    apply(next);
  });
  apply(read());
}
