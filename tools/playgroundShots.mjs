// The playground's pictures, for tools/screenshots.mjs.
import { serveFolder } from "./serveFolder.mjs";
import { buildSite } from "./site.mjs";

const trained = (page) =>
  page.locator("#run .figures").filter({ hasText: /^Done/ }).waitFor({ timeout: 120_000 });

/** The playground with a run at its end, the editor with a mistake, and a phone. */
export async function playground({ open, take, folder }) {
  await buildSite(folder);
  const { url, close } = await serveFolder(folder);
  const at = (hash, view) => open(`${url}/index.html#${hash}`, view);

  const page = await at("env=CartPole-v1&algo=ppo&runner.total_timesteps=50000&train", {
    ...{ width: 1280, height: 960 },
  });
  await trained(page);
  await page.locator(".player-status", { hasText: /step 1\d\d/ }).waitFor();
  await take(page, "playground.png");
  await page.context().close();

  const editor = await at("env=own&algo=ppo&runner.total_timesteps=40960", {
    ...{ width: 1280, height: 960, scheme: "dark" },
  });
  await editor.locator("#message", { hasText: "is sound" }).waitFor();
  await editor.click("#train:enabled");
  await trained(editor);
  await editor.locator(".cm-line", { hasText: "observationSpace" }).click();
  await editor.keyboard.press("End");
  for (let count = 0; count < "] }),".length; count++) await editor.keyboard.press("ArrowLeft");
  await editor.keyboard.press("Backspace");
  await editor.keyboard.insertText("2");
  await editor.locator(".problem", { hasText: /Line \d+: .*observation/ }).waitFor();
  await editor.keyboard.press("Home");
  await editor.keyboard.press("Home");
  await take(editor, "playground-editor.png");
  await editor.context().close();

  const phone = await at("env=Acrobot-v1&algo=ppo&runner.total_timesteps=60000&train", {
    ...{ width: 390, height: 844 },
  });
  await trained(phone);
  await phone.locator(".player-status", { hasText: /step \d\d/ }).waitFor();
  await take(phone, "playground-phone.png");
  await phone.context().close();
  close();
}
