// What a visitor takes along: the policy, the curve, and a video. What makes them is loaded when it is asked for.
import type { CheckpointFiles } from "vibe-rl/runner";
import { element, fill } from "../components/dom.js";
import { usualRate } from "../components/keys.js";
import type { EnvSource } from "../components/worker/environments.js";
import type { Library } from "../components/worker/library.js";
import type { TrainEvent } from "../components/worker/training.js";
import type { Agents, KnownAgent } from "./agents.js";
import { toCsv } from "./curve.js";
import { fileName, saveFile } from "./download.js";
import type { Message } from "./message.js";

type LoggedRecord = Extract<TrainEvent, { kind: "record" }>["record"];

export interface DownloadSources {
  readonly agents: Agents;
  readonly records: () => readonly LoggedRecord[];
  /** The newest checkpoint of the run. */
  readonly checkpoint: () => CheckpointFiles | null;
  /** The worker that has the environment on stage. */
  readonly library: () => Library;
  readonly source: () => EnvSource | null;
  /** The environment's name. */
  readonly title: () => string;
  readonly algo: () => string;
  readonly seed: () => number;
  readonly message: Message;
}

/** A video has at most so many pictures, and is so wide. */
const mostPictures = 500;
const videoWidth = 360;

/** Buttons for all that there is now. */
export function showDownloads(host: HTMLElement, sources: DownloadSources): void {
  const { agents, records, library, message } = sources;
  const name = (ending: string): string => `${fileName(sources.title(), sources.algo())}${ending}`;
  const { current } = agents;
  const checkpoint = sources.checkpoint();
  const hasCurve = records().some((record) => "episode_return" in record);
  const source = sources.source();

  const offer = (label: string, title: string, isThere: boolean, make: () => unknown): HTMLButtonElement => {
    const made = element("button", { type: "button", title, disabled: !isThere }, [label], {
      click: () => void attempt(make, made, message),
    });
    return made;
  };
  const policyOf = (save: (agent: KnownAgent) => unknown) => (): unknown =>
    current === null ? undefined : save(current);
  fill(
    host,
    offer(
      "Policy",
      "The agent that plays, as safetensors: loadPolicy takes it, here and in Node",
      current !== null,
      policyOf(({ bytes }) => saveFile(name(".safetensors"), bytes)),
    ),
    ...(["onnx", "js"] as const).map((format) =>
      offer(
        format === "onnx" ? "ONNX" : "JavaScript",
        format === "onnx"
          ? "The agent that plays, for any program with an ONNX runtime"
          : "The agent that plays, as one module that needs nothing else",
        current !== null,
        policyOf(async ({ bytes }) =>
          saveFile(name(`.${format}`), await library().call("exportPolicy", { bytes, format })),
        ),
      ),
    ),
    offer(
      "Checkpoint",
      "All of the run's state, as a tar: Node goes on with it",
      checkpoint !== null,
      async () => {
        if (checkpoint === null) return;
        const { tarOf } = await import("../components/tar.js");
        saveFile(name(`_step_${checkpoint.step}.tar`), tarOf(checkpoint.files), "application/x-tar");
      },
    ),
    offer("Curve (CSV)", "Every record of the run", records().length > 0, () =>
      saveFile(name(".csv"), toCsv(records()), "text/csv"),
    ),
    offer("Curve (SVG)", "The returns as a picture", hasCurve, async () => {
      const svg = await library().call("curveSvg", {
        name: `${sources.title()}, ${sources.algo().toUpperCase()}`,
        records: records(),
      });
      saveFile(name(".svg"), svg, "image/svg+xml");
    }),
    offer("GIF", "One episode of the agent that plays", source !== null, async () => {
      if (source === null) return;
      message.tell("Playing an episode …");
      const pictures = await library().call("recordEpisode", {
        ...{ source, seed: sources.seed(), most: mostPictures },
      });
      const { gifOf } = await import("./gif.js");
      const fps = Math.min(50, usualRate(sources.title()));
      const bytes = await gifOf(pictures, { width: videoWidth, fps, tell: (text) => message.tell(text) });
      saveFile(name(".gif"), bytes, "image/gif");
      message.tell(`A GIF of ${pictures.length} pictures, ${Math.ceil(bytes.length / 1000)} KB.`);
    }),
  );
}

async function attempt(make: () => unknown, button: HTMLButtonElement, message: Message): Promise<void> {
  button.disabled = true;
  try {
    await make();
  } catch (error) {
    message.fail(error);
  } finally {
    button.disabled = false;
  }
}
