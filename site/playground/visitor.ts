// The visitor's environment on a stage of its own worker, which is ended where it does not answer.
import { startLibrary, type Library } from "../components/worker/library.js";
import { remoteStage, type RemoteStage } from "../components/worker/remoteStage.js";

/** How long a visitor's environment may take for anything, in milliseconds. */
const limitMs = 5_000;

export interface Visitor {
  /** Examines an environment's module and puts it on stage. */
  open(code: string): Promise<{ readonly library: Library; readonly stage: RemoteStage }>;
  /** The names in a module of the site. */
  names(address: string): Promise<Readonly<Record<string, readonly string[]>>>;
}

export function createVisitor(): Visitor {
  let library: Library | null = null;
  const running = (): Library => {
    if (library === null || library.isEnded) library = startLibrary({ isForVisitors: true, limitMs });
    return library;
  };
  return {
    async open(code) {
      const own = running();
      return { library: own, stage: await remoteStage(own, { code }) };
    },
    names: (address) => running().call("namesIn", address),
  };
}
