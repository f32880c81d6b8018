// <vibe-live>: an example that runs in the page. It shows the program, and trains and plays what the program says.
import "./liveExample.css";
import { button, element } from "./dom.js";
import { createRunView } from "./runView.js";
import { createStagePlayer } from "./stagePlayer.js";
import { startLibrary, type Library } from "./worker/library.js";
import { remoteStage } from "./worker/remoteStage.js";
import type { Settings } from "./worker/settings.js";
import { createTrainer, type Run } from "./worker/trainer.js";

interface Example {
  readonly env: string;
  readonly settings: Settings;
}

/** What the attributes say: `env`, `algo`, `preset`, and `changes` as in an address. */
function exampleOf(host: HTMLElement): Example {
  const read = (name: string): string => {
    const value = host.getAttribute(name);
    if (value === null || value === "") throw new Error(`<vibe-live> needs the attribute ${name}`);
    return value;
  };
  const algo = read("algo");
  if (algo !== "ppo" && algo !== "dqn" && algo !== "sac") {
    throw new Error(`<vibe-live>: algo must be ppo, dqn or sac, got ${JSON.stringify(algo)}`);
  }
  const changes = Object.fromEntries(new URLSearchParams(host.getAttribute("changes") ?? ""));
  return { env: read("env"), settings: { algo, preset: read("preset"), changes } };
}

const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The program that does what the example does. */
export function programOf({ env, settings: { algo, preset, changes } }: Example): string {
  const train = `train${algo.toUpperCase()}`;
  const own = (part: string): string =>
    Object.entries(changes)
      .filter(([flag]) => flag.startsWith(`${part}.`))
      .map(([flag, text]) => `, ${camelCase(flag.slice(part.length + 1))}: ${text}`)
      .join("");
  return [
    `import { make, presets, ${train} } from "vibe-rl";`,
    "",
    `const { algoConfig, runner } = presets.${preset ?? ""}.config;`,
    `await ${train}(...make("${env}"), {`,
    `  ${algo}Config: { ...algoConfig${own("algo")} },`,
    `  runnerConfig: { ...runner${own("runner")} },`,
    "});",
  ].join("\n");
}

/** Where the playground has the same settings. */
const playgroundAddress = ({ env, settings: { algo, preset, changes } }: Example): string =>
  `index.html#${new URLSearchParams({ env, algo, preset: preset ?? "none", ...changes }).toString()}`;

function build(host: HTMLElement): void {
  const example = exampleOf(host);
  const results = element("div", { class: "live-run" });
  const stageHost = element("div", { class: "live-stage" });
  const message = element("p", { class: "bad", role: "status" });
  const trainButton = button("Train", () => void train(), { kind: "primary" });
  const stopButton = button("Stop", () => run?.stop());
  const link = element("a", { href: playgroundAddress(example) }, ["Open in the playground"]);
  host.append(
    element("pre", { class: "live-program" }, [element("code", {}, [programOf(example)])]),
    element("div", { class: "row" }, [trainButton, stopButton, link]),
    message,
    element("div", { class: "live-columns" }, [results, stageHost]),
  );
  const view = createRunView(results, { height: 200 });
  const trainer = createTrainer();
  let run: Run | null = null;
  let library: Library | null = null;
  stopButton.disabled = true;

  const failed = (error: unknown): void => {
    message.textContent = error instanceof Error ? error.message : String(error);
  };

  async function open(): Promise<void> {
    const own = startLibrary();
    const player = createStagePlayer(stageHost, { stage: await remoteStage(own, { id: example.env }) });
    player.onError = failed;
    library = own;
  }

  async function train(): Promise<void> {
    [trainButton.disabled, stopButton.disabled, message.textContent] = [true, false, ""];
    view.begin();
    run = trainer.start({ env: { id: example.env }, settings: example.settings, devices: 1 }, (event) => {
      view.hear(event);
      if (event.kind === "agent" && !event.isBest) library?.call("setPolicy", event.bytes).catch(failed);
    });
    try {
      const { isStopped } = await run.done;
      view.end(isStopped ? "Stopped" : "Done");
    } catch (error) {
      view.end("Failed");
      failed(error);
    } finally {
      run = null;
      [trainButton.disabled, stopButton.disabled] = [false, true];
    }
  }

  // A page may have many examples: those that nobody scrolls to cost nothing.
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    seen.disconnect();
    open().catch(failed);
  });
  seen.observe(stageHost);
}

class LiveExample extends HTMLElement {
  private isBuilt = false;

  connectedCallback(): void {
    if (this.isBuilt) return;
    this.isBuilt = true;
    build(this);
  }
}

/** Lets pages have <vibe-live> elements. */
export const defineLiveExample = (): void => customElements.define("vibe-live", LiveExample);
