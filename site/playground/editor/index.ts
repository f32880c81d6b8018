// The editor of a visitor's environment: CodeMirror, what it completes, and problems at their lines.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { element } from "../../components/dom.js";
import { WorkerError } from "../../components/worker/calls.js";
import { builtIn } from "../../components/worker/library.js";
import { messageOf } from "../message.js";
import { appearance } from "./appearance.js";
import { pack, unpack } from "./pack.js";
import { template } from "./template.js";
import { lineOfMember, SourceError, transpile } from "./transpile.js";

export interface Editor {
  /** The JavaScript of what stands there now; null where it cannot be made. */
  readonly code: string | null;
  /** The text as it goes into an address; null is the text that everybody starts from. */
  packed(): Promise<string | null>;
  /** Tells once more what stands there. */
  settle(): void;
  /** Shows what is wrong at its line; null is nothing. */
  showProblem(error: unknown): void;
}

export interface EditorListeners {
  /** Called with every change. */
  readonly changed: () => void;
  /** Called with the module's JavaScript once the text has stood still and can be read. */
  readonly settled: (code: string) => void;
  /** The names to complete, by what stands before the dot. */
  readonly names: (address: string) => Promise<Readonly<Record<string, readonly string[]>>>;
}

/** How long a text must stand still before it is tried, in milliseconds. */
const stillMs = 500;

/** The site's modules by the names that they are imported by. */
function siteModules(): Record<string, string> {
  const files = JSON.parse(builtIn("vibe-rl-modules")) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, new URL(file, document.baseURI).href]),
  );
}

/** Completes names of the library, and those behind the dot of its namespaces. */
function completer(names: Promise<Readonly<Record<string, readonly string[]>>>) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/(?:\b(\w+)\.)?\w*/);
    if (word === null || (word.text === "" && !context.explicit)) return null;
    const dot = word.text.lastIndexOf(".");
    const known = (await names)[dot < 0 ? "" : word.text.slice(0, dot)] as readonly string[] | undefined;
    if (known === undefined) return null;
    return {
      from: word.from + dot + 1,
      validFor: /^\w*$/,
      options: known.map((label) => ({ label, type: /^[A-Z]/.test(label) ? "class" : "function" })),
    };
  };
}

export async function createEditor(
  host: HTMLElement,
  packed: string | null,
  { changed, settled, names }: EditorListeners,
): Promise<Editor> {
  const modules = siteModules();
  let code: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const problem = element("button", { type: "button", class: "problem", hidden: true, role: "alert" });
  let problemAt = 0;
  problem.addEventListener("click", () => {
    view.dispatch({ selection: { anchor: problemAt }, scrollIntoView: true });
    view.focus();
  });

  function settle(): void {
    clearTimeout(timer);
    code = null;
    try {
      code = transpile(view.state.doc.toString(), modules);
    } catch (error) {
      showProblem(error);
      return;
    }
    settled(code);
  }

  function showProblem(error: unknown): void {
    problem.hidden = error === null;
    if (error === null) {
      view.dispatch(setDiagnostics(view.state, []));
      return;
    }
    const place = error instanceof WorkerError ? error.problem : error instanceof SourceError ? error : null;
    const message = messageOf(error);
    const { doc } = view.state;
    const line = place?.line ?? lineOfMember(doc.toString(), message);
    if (line === null) {
      problemAt = 0;
      problem.textContent = message;
      view.dispatch(setDiagnostics(view.state, []));
      return;
    }
    const { from, to, number } = doc.line(Math.min(Math.max(1, line), doc.lines));
    problemAt = Math.min(to, from + Math.max(0, (place?.column ?? 1) - 1));
    problem.textContent = `Line ${number}: ${message}`;
    const start = from + (doc.lineAt(from).text.length - doc.lineAt(from).text.trimStart().length);
    view.dispatch(
      setDiagnostics(view.state, [{ from: Math.min(start, to), to, severity: "error", message }]),
    );
  }

  const known = names(modules["vibe-rl"]).catch(() => ({}));
  let text = template;
  let refused: unknown = null;
  if (packed !== null) text = await unpack(packed).catch((error: unknown) => ((refused = error), template));
  const view = new EditorView({
    state: EditorState.create({
      doc: text,
      extensions: [
        [lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history()],
        [indentOnInput(), bracketMatching(), closeBrackets(), lintGutter(), javascript({ typescript: true })],
        autocompletion({ override: [completer(known)] }),
        keymap.of([
          ...[...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap],
          indentWithTab,
        ]),
        EditorView.contentAttributes.of({ "aria-label": "Your environment in TypeScript" }),
        EditorView.updateListener.of(({ docChanged }) => {
          if (!docChanged) return;
          code = null;
          changed();
          clearTimeout(timer);
          timer = setTimeout(settle, stillMs);
        }),
        appearance,
      ],
    }),
  });
  host.append(
    element("div", { class: "editor" }, [view.dom]),
    problem,
    element("p", { class: "muted small" }, ["Escape, then Tab, leaves the editor."]),
  );
  if (refused === null) settle();
  else showProblem(refused);

  return {
    get code() {
      return code;
    },
    packed: async () => {
      const now = view.state.doc.toString();
      return now === template ? null : pack(now);
    },
    settle,
    showProblem,
  };
}
