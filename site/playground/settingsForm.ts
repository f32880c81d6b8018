// The form of settings, made from the config's own fields, meanings and messages.
import type { FieldInfo } from "vibe-rl/config";
import { element, fill } from "../components/dom.js";
import type { Description } from "../components/worker/settings.js";

/** Settings of disks, meshes and native code, which a page has none of; the devices are chosen beside the form. */
const leftOut = new Set([
  "env_id",
  ...[
    "checkpoint_dir",
    "checkpoint_interval",
    "max_checkpoints",
    "keep_period",
    "resume",
    "overwrite",
    "plot",
  ].map((name) => `runner.${name}`),
  ...["runner.num_devices", "runner.fsdp_devices", "runner.device", "runner.threads"],
]);
/** PPO has its own number of environments. */
const leftOutOfPPO = new Set(["runner.num_envs", "runner.buffer_size", "runner.warmup_steps"]);

/** What is changed most often stands in front of the rest. */
const foremost = [
  "runner.total_timesteps",
  "runner.seed",
  "algo.lr",
  "algo.actor_lr",
  "algo.critic_lr",
  "algo.gamma",
  "algo.hidden_sizes",
  "algo.num_envs",
  "algo.n_steps",
  "algo.batch_size",
];

export type Changes = Readonly<Record<string, string>>;

export interface SettingsForm {
  /** Shows the fields of a config, with some of them changed, and what is wrong with them. */
  show(description: Description, changes: Changes): void;
}

/** A value as it is written in a setting. */
const written = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : String(value));

const title = (flag: string): string => flag.replace(/^\w+\./, "").replaceAll("_", " ");

export function createSettingsForm(host: HTMLFormElement, change: (changes: Changes) => void): SettingsForm {
  let shown = "";
  let fields: readonly FieldInfo[] = [];
  let changes: Changes = {};
  const rows = new Map<string, { control: HTMLInputElement; row: HTMLElement; problem: HTMLElement }>();
  const overall = element("p", { class: "message bad", role: "alert" });
  const reset = element("button", { type: "button" }, ["Back to the preset"], { click: () => change({}) });

  const set = (flag: string, text: string): void => {
    const field = fields.find((one) => one.flag === flag);
    const { [flag]: _, ...others } = changes;
    change(field !== undefined && text === written(field.value) ? others : { ...others, [flag]: text });
  };

  function rowOf({ flag, kind, meaning }: FieldInfo): HTMLElement {
    const isSwitch = kind === "true or false";
    const id = `setting-${flag}`;
    const control = element("input", {
      ...{ id, name: flag, type: isSwitch ? "checkbox" : "text", autocomplete: "off", spellcheck: "false" },
      "aria-describedby": `${id}-meaning ${id}-problem`,
      inputmode: kind.startsWith("number") && !kind.includes("list") ? "decimal" : undefined,
    });
    control.addEventListener("change", () =>
      set(flag, isSwitch ? String(control.checked) : control.value.trim()),
    );
    const problem = element("span", { class: "bad small", id: `${id}-problem`, role: "alert" });
    const row = element("div", { class: "setting" }, [
      element("label", { for: id, title: flag }, [title(flag)]),
      control,
      element("span", { class: "muted small", id: `${id}-meaning` }, [meaning]),
      problem,
    ]);
    rows.set(flag, { control, row, problem });
    return row;
  }

  function build(): void {
    rows.clear();
    const isPPO = fields.some(({ flag }) => flag === "algo.clip_eps");
    const open = fields.filter(({ flag }) => !leftOut.has(flag) && !(isPPO && leftOutOfPPO.has(flag)));
    const first = foremost.flatMap((flag) => open.filter((field) => field.flag === flag));
    const rest = open.filter((field) => !first.includes(field));
    fill(
      host,
      element("h2", {}, ["Settings"]),
      ...first.map(rowOf),
      element("details", {}, [
        element("summary", {}, [`${rest.length} more`]),
        element("div", { class: "more" }, rest.map(rowOf)),
      ]),
      overall,
      reset,
    );
  }

  host.addEventListener("submit", (event) => event.preventDefault());
  return {
    show({ fields: given, problems }, now) {
      fields = given;
      changes = now;
      const key = given.map(({ flag }) => flag).join();
      if (key !== shown) build();
      shown = key;
      for (const { flag, value, kind } of fields) {
        const one = rows.get(flag);
        if (one === undefined) continue;
        const text = changes[flag] ?? written(value);
        if (kind === "true or false") one.control.checked = text === "true";
        else if (one.control.value !== text) one.control.value = text;
        one.row.classList.toggle("changed", flag in changes);
        one.problem.textContent = problems[flag] ?? "";
        one.control.setAttribute("aria-invalid", String(flag in problems));
      }
      overall.textContent = problems[""] ?? "";
      reset.hidden = Object.keys(changes).length === 0;
    },
  };
}
