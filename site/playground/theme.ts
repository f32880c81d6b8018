// The button for light and dark: as the system has it, or one of them, remembered where the browser allows it.

const names = ["system", "light", "dark"] as const;
type Theme = (typeof names)[number];
const key = "vibe-rl-theme";

function remembered(): Theme {
  try {
    const found = localStorage.getItem(key);
    return names.find((name) => name === found) ?? "system";
  } catch {
    // Browsers may forbid storage; then the theme lasts as long as the page.
    return "system";
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // As above.
  }
}

export function setUpTheme(button: HTMLButtonElement): void {
  let theme = remembered();
  const show = (): void => {
    const { dataset } = document.documentElement;
    if (theme === "system") delete dataset.theme;
    else dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = names[(names.indexOf(theme) + 1) % names.length];
    remember(theme);
    show();
  });
  show();
}
