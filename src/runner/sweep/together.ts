// Runs of one family side by side: a program advances all of them, and each keeps its own log on the host.
import type { Array } from "../../array/index.js";
import type { RunnerConfig } from "../config.js";
import { hyperOf, rowOf, stacked, type Family, type Hyper, type Member } from "../family.js";
import { DivergedError } from "../finite.js";
import { nextTurn, type RunOptions, type StopSignal } from "../loop.js";
import { Pace } from "../pace.js";
import { openFiles } from "../runFiles.js";
import { Session } from "../session.js";
import type { Trainer, Work } from "../trainer.js";

/** What a run carries, as far as its agent is concerned. */
export interface AgentHolder {
  readonly agentState: object;
}

/** A run and the host's side of it. */
export interface Seat {
  readonly member: Member;
  readonly runnerConfig: RunnerConfig;
  readonly listeners: RunOptions<object>;
}

/** How a run ended: with its agent, or without its numbers. */
export interface Outcome {
  readonly agentState: object | null;
  readonly error: DivergedError | null;
  readonly isStopped: boolean;
}

/** The states of some runs, which advance in step. */
class Group<S extends AgentHolder> {
  private readonly trainers: readonly Trainer<S>[];
  private readonly hyper: Hyper;
  private states: S;
  private works: readonly Work[] = [];
  /** How many calls of the program there were, and how many of them each run has seen. */
  private calls = 0;
  private readonly seen: number[];
  private ready: Promise<void> | null = null;

  constructor(
    private readonly family: Family<S>,
    members: readonly Member[],
  ) {
    this.trainers = members.map((member) => family(member));
    this.states = stacked(this.trainers.map((trainer) => trainer.start()) as [S, ...S[]]);
    this.hyper = stacked(members.map(({ values }) => hyperOf(values)) as [Hyper, ...Hyper[]]);
    this.seen = members.map(() => 0);
  }

  /** A run's own agent; the rest of the state stays that of all. */
  private rowOf(at: number): S {
    return { ...this.states, agentState: rowOf(this.states.agentState, at) };
  }

  private prepare(): Promise<void> {
    const { family, states, hyper, trainers } = this;
    this.ready ??= family.together
      .prepare(states, hyper)
      .then(() => trainers[0].prepareEvaluation(this.rowOf(0)));
    return this.ready;
  }

  /** What some units of work have measured in a run; whoever asks first has it done for all. */
  private async advance(at: number, count: number): Promise<Work> {
    if (this.seen[at] === this.calls) {
      const { states, works } = await this.family.together.advance(this.states, this.hyper, count);
      [this.states, this.works] = [states, works];
      this.calls++;
    }
    this.seen[at]++;
    return this.works[at];
  }

  /** A run as the host drives it. Its state is here. */
  viewOf(at: number): Trainer<object> {
    const { measure, ...trainer } = this.trainers[at];
    return {
      ...trainer,
      ...(measure === undefined ? {} : { measure: () => measure(rowOf(this.states, at)) }),
      start: () => ({}),
      prepare: () => this.prepare(),
      prepareEvaluation: () => this.prepare(),
      advance: async (state, count) => ({ state, work: await this.advance(at, count) }),
      device: () => this.family.together.device(),
      evaluate: (_, key: Array) => trainer.evaluate(this.rowOf(at), key),
      agentOf: () => trainer.agentOf(this.rowOf(at)),
      act: (_, obs: Array) => trainer.act(this.rowOf(at), obs),
      paramsOf: () => trainer.paramsOf(this.rowOf(at)),
    };
  }
}

/** Trains some members of a family side by side. One whose numbers are lost does not stop the others. */
export async function runTogether<S extends AgentHolder>(
  family: Family<S>,
  seats: readonly Seat[],
  signal: StopSignal | undefined,
): Promise<Outcome[]> {
  const group = new Group(
    family,
    seats.map(({ member }) => member),
  );
  const views = seats.map((_, at) => group.viewOf(at));
  const sessions: Session<object, object>[] = [];
  for (const [at, { runnerConfig, listeners }] of seats.entries()) {
    const files = await openFiles("sweep", runnerConfig, undefined, views[at]);
    sessions.push(await Session.begin(views[at], runnerConfig, listeners, files));
  }
  const errors = seats.map((): DivergedError | null => null);
  /** Does something with every run that has its numbers. */
  const each = async (work: (session: Session<object, object>) => unknown): Promise<void> => {
    for (const [at, session] of sessions.entries()) {
      if (errors[at] !== null) continue;
      try {
        await work(session);
      } catch (error) {
        if (!(error instanceof DivergedError)) throw error;
        errors[at] = error;
      }
    }
  };
  const pace = new Pace();
  const goesOn = () => sessions.some((session, at) => errors[at] === null && !session.isOver);
  while (goesOn() && signal?.aborted !== true) {
    const before = performance.now();
    let units = 1;
    await each(async (session) => (units = await session.advance(pace.patience)));
    pace.tell(units, (performance.now() - before) / 1000);
    await each((session) => session.attend());
    if (sessions.some((session) => session.isWarm)) pace.restart();
    await nextTurn();
  }
  const isStopped = goesOn();
  return views.map((view, at) => ({
    agentState: errors[at] === null ? view.agentOf({}) : null,
    ...{ error: errors[at], isStopped },
  }));
}
