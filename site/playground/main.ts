// The playground: what is chosen, what is trained, and what is watched, brought together.
import "../components/theme.css";
import "./style.css";
import { byId } from "../components/dom.js";
import { createRunView } from "../components/runView.js";
import { createStagePlayer, type StagePlayer } from "../components/stagePlayer.js";
import type { EnvSource } from "../components/worker/environments.js";
import { startLibrary, type Library } from "../components/worker/library.js";
import { remoteStage } from "../components/worker/remoteStage.js";
import type { CheckpointFiles } from "vibe-rl/runner";
import { createTrainer, type Run } from "../components/worker/trainer.js";
import { createAgents } from "./agents.js";
import { fromHash, startingChoice, toHash, type Choice } from "./choice.js";
import { mostDevices, showChoosers } from "./choosers.js";
import { showDownloads } from "./downloads.js";
import { setUpDrop } from "./drop.js";
import type { Editor } from "./editor/index.js";
import { createMessage, messageOf } from "./message.js";
import { createSettingsForm } from "./settingsForm.js";
import { setUpTheme } from "./theme.js";
import { createVisitor } from "./visitor.js";

const desk = startLibrary();
const trainer = createTrainer();
trainer.warm();
const visitor = createVisitor();
const message = createMessage(byId("message", HTMLElement));
const view = createRunView(byId("run", HTMLElement));
const agents = createAgents(byId("agent", HTMLElement), (error) => message.fail(error));
const [trainButton, stopButton] = [byId("train", HTMLButtonElement), byId("stop", HTMLButtonElement)];
const panels = { known: byId("panel-known", HTMLElement), own: byId("panel-own", HTMLElement) };
const tabs = { known: byId("tab-known", HTMLButtonElement), own: byId("tab-own", HTMLButtonElement) };
setUpTheme(byId("theme", HTMLButtonElement));

const catalog = await desk.call("catalog").catch((error: unknown) => {
  message.fail(error);
  throw error;
});

const address = fromHash(location.hash, catalog, mostDevices());
let { choice } = address;
if (address.problem !== null) message.fail(address.problem);
let editor: Editor | null = null;
let isEditorLoading = false;
/** The visitor's environment as it was last found sound. */
let own: { readonly code: string; readonly algos: readonly string[] } | null = null;
let player: StagePlayer | null = null;
let run: Run | null = null;
/** The newest checkpoint of the run. */
let checkpoint: CheckpointFiles | null = null;
let areSettingsSound = true;
/** What is on stage, and in which worker. */
let onStage: Library = desk;
let stageName = "";

const form = createSettingsForm(
  byId("settings", HTMLFormElement),
  (changes) => void choose({ ...choice, changes }),
);

const sourceOf = ({ envId }: Choice): EnvSource | null =>
  envId !== null ? { id: envId } : own === null ? null : { code: own.code };

function showButtons(): void {
  trainButton.disabled = run !== null || !areSettingsSound || sourceOf(choice) === null;
  stopButton.disabled = run === null;
}

function showTabs(): void {
  for (const name of ["known", "own"] as const) {
    const isChosen = (choice.envId === null) === (name === "own");
    tabs[name].setAttribute("aria-selected", String(isChosen));
    tabs[name].tabIndex = isChosen ? 0 : -1;
    panels[name].hidden = !isChosen;
  }
}

/** Shows settings and what is wrong with them. */
async function showSettings(): Promise<void> {
  const asked = choice;
  const description = await desk.call("describe", asked);
  if (asked !== choice) return;
  areSettingsSound = Object.keys(description.problems).length === 0;
  form.show(description, asked.changes);
  showButtons();
}

async function showChoice(): Promise<void> {
  const hosts = {
    environment: panels.known,
    algorithm: byId("algorithm", HTMLElement),
    description: byId("description", HTMLElement),
  };
  showTabs();
  showChoosers(hosts, catalog, choice, own?.algos ?? null, (next) => void choose(next));
  const code = choice.envId === null && editor !== null ? await editor.packed() : address.code;
  history.replaceState(null, "", `#${toHash(choice, catalog, choice.envId === null ? code : null)}`);
  await showSettings();
}

async function choose(next: Choice): Promise<void> {
  const isSameEnv = next.envId === choice.envId;
  choice = next;
  message.clear();
  await Promise.all([showChoice(), isSameEnv ? null : showStage()]);
}

/** Puts the chosen environment on stage. */
async function showStage(): Promise<void> {
  agents.clear();
  if (choice.envId === null) {
    await openEditor();
    return;
  }
  const asked = choice.envId;
  const stage = await remoteStage(desk, { id: asked });
  if (choice.envId === asked) play(desk, stage);
}

function play(library: Library, stage: Awaited<ReturnType<typeof remoteStage>>): void {
  [onStage, stageName] = [library, stage.info.name];
  agents.setLibrary(library);
  if (player === null) {
    player = createStagePlayer(byId("player", HTMLElement), { stage });
    player.onError = (error) => message.fail(error);
  } else player.setStage(stage);
  offerDownloads();
}

/** What the visitor writes is loaded with its editor, when it is first asked for. */
async function openEditor(): Promise<void> {
  if (editor === null) {
    if (isEditorLoading) return;
    isEditorLoading = true;
    const { createEditor } = await import("./editor/index.js");
    editor = await createEditor(panels.own, address.code, {
      changed: () => {
        own = null;
        showButtons();
      },
      settled: (code) => void tryOwn(code),
      names: (file) => visitor.names(file),
    });
  } else editor.settle();
}

/** Examines the visitor's environment and plays it. */
async function tryOwn(code: string): Promise<void> {
  try {
    const { library, stage } = await visitor.open(code);
    if (choice.envId !== null || editor?.code !== code) return;
    own = { code, algos: stage.info.algos };
    agents.clear();
    play(library, stage);
    editor.showProblem(null);
    if (own.algos.includes(choice.algo)) await showChoice();
    else await choose(startingChoice(catalog, null, own.algos[0] as Choice["algo"], choice.devices));
    message.tell(`${stage.info.name} is sound.`);
  } catch (error) {
    if (editor?.code === code) editor.showProblem(error);
  }
  showButtons();
}

async function train(): Promise<void> {
  const env = sourceOf(choice);
  if (env === null || run !== null) return;
  message.clear();
  agents.clear();
  view.begin();
  const { algo, preset, changes, devices } = choice;
  const started = choice;
  let bestReturn = -Infinity;
  checkpoint = null;
  run = trainer.start({ env, settings: { algo, preset, changes }, devices }, (event) => {
    view.hear(event);
    if (event.kind === "record" && typeof event.record.eval_return === "number")
      bestReturn = Math.max(bestReturn, event.record.eval_return);
    if (event.kind === "checkpoint") checkpoint = event;
    if (event.kind !== "agent" || choice.envId !== started.envId) return;
    const isFirst = agents.names.size === 0;
    const at = `step ${event.step.toLocaleString("en")}`;
    if (event.isBest) agents.tell("best", { bytes: event.bytes, label: `${bestReturn.toFixed(1)} at ${at}` });
    else agents.tell("latest", { bytes: event.bytes, label: at });
    if (isFirst) agents.choose(event.isBest ? "best" : "latest");
    offerDownloads();
  });
  showButtons();
  offerDownloads();
  try {
    const { isStopped } = await run.done;
    view.end(isStopped ? "Stopped" : "Done");
  } catch (error) {
    view.end("Failed");
    message.fail(error);
    if (choice.envId === null) editor?.showProblem(error);
  } finally {
    run = null;
    showButtons();
  }
}

const offerDownloads = (): void =>
  showDownloads(byId("downloads", HTMLElement), {
    agents,
    records: () => view.records,
    checkpoint: () => checkpoint,
    library: () => onStage,
    source: () => sourceOf(choice),
    title: () => choice.envId ?? stageName,
    seed: () => player?.seed ?? 0,
    algo: () => choice.algo,
    message,
  });

/** A policy from a file plays where it fits: here, where it was trained, or in the first environment that it can play. */
async function takeFiles(files: readonly File[]): Promise<void> {
  const name = files.map((file) => file.name).join(" and ");
  message.clear();
  try {
    const contents = files.map(
      async (file) => [file.name, new Uint8Array(await file.arrayBuffer())] as const,
    );
    const { bytes, label } = await desk.call("openPolicy", Object.fromEntries(await Promise.all(contents)));
    const here = sourceOf(choice);
    const fit = here === null ? null : await onStage.call("placesFor", { bytes, sources: [here] });
    const isHome = [null, choice.envId ?? stageName].includes(fit?.facts.environment ?? null);
    if (fit?.reasons[0] !== null || !isHome) {
      const ids = catalog.environments.map(({ id }) => id);
      const { reasons, facts } = await desk.call("placesFor", { bytes, sources: ids.map((id) => ({ id })) });
      const fitting = ids.filter((_, at) => reasons[at] === null);
      const found = fitting.find((id) => id === facts.environment) ?? fitting.at(0);
      if (found === undefined && fit?.reasons[0] !== null) {
        throw new Error(fit?.reasons[0] ?? "it is for none of the environments here");
      }
      if (found !== undefined && found !== choice.envId)
        await choose(startingChoice(catalog, found, choice.algo, choice.devices));
    }
    agents.tell("file", { bytes, label });
    agents.choose("file");
    offerDownloads();
  } catch (error) {
    message.fail(`${name} cannot be watched: ${messageOf(error)}`);
  }
}

trainButton.addEventListener("click", () => void train());
stopButton.addEventListener("click", () => run?.stop());
byId("share", HTMLButtonElement).addEventListener("click", () => void share());
for (const name of ["known", "own"] as const) {
  const envId = name === "own" ? null : "CartPole-v1";
  tabs[name].addEventListener("click", () => {
    if ((choice.envId === null) !== (name === "own"))
      void choose(startingChoice(catalog, envId, choice.algo, choice.devices));
  });
  tabs[name].addEventListener("keydown", ({ key }) => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    const other = tabs[name === "own" ? "known" : "own"];
    other.click();
    other.focus();
  });
}
setUpDrop(byId("drop", HTMLElement), byId("file", HTMLInputElement), (files) => void takeFiles(files));

async function share(): Promise<void> {
  await showChoice();
  try {
    await navigator.clipboard.writeText(location.href);
    message.tell("The link is copied: it has every setting that differs from the preset.");
  } catch {
    // Browsers give the clipboard to secure pages only; the link is in the address bar anyway.
    message.tell("The link is in the address bar.");
  }
}

offerDownloads();
await Promise.all([showChoice(), showStage()]);
if (address.problem !== null) message.fail(address.problem);
if (address.isTraining) await train();
