// What a visitor takes along: the policy, the curve, and a video. What makes them is loaded when it is asked for.
import { element, fill } from "../components/dom.js";
import type { EnvSource } from "../components/worker/environments.js";
import type { Library } from "../components/worker/library.js";
import type { Agents } from "./agents.js";
import { toCsv } from "./curve.js";
import { fileName, saveFile } from "./download.js";
import type { Message } from "./message.js";

export interface DownloadSources {
  readonly agents: Agents;
  readonly records: () => readonly object[];
  readonly library: () => Library;
  readonly source: () => EnvSource | null;
  readonly title: () => string;
  readonly algo: () => string;
  readonly seed: () => number;
  readonly message: Message;
}

/** Buttons for all that there is now. */
export function showDownloads(host: HTMLElement, sources: DownloadSources): void {
  const { agents, records, message } = sources;
  const name = (ending: string): string => `${fileName(sources.title(), sources.algo())}${ending}`;
  const hasAgent = agents.current !== null;
  const hasCurve = records().length > 0;

  const offer = (label: string, isThere: boolean, make: () => unknown): HTMLButtonElement => {
    const made = element("button", { type: "button", disabled: !isThere }, [label], {
      click: () => void attempt(make, made, message),
    });
    return made;
  };
  fill(
    host,
    offer("Policy", hasAgent, () => {
      const { current } = agents;
      if (current !== null) saveFile(name(".safetensors"), current.bytes);
    }),
    offer("Curve (CSV)", hasCurve, () => saveFile(name(".csv"), toCsv(records()), "text/csv")),
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
