// Chains of keys, made one iteration ahead. What advances the keys of random numbers is a loop of its own, each step of which
// waits for the one before, while nothing else can begin without keys. In the iteration before it can be done beside another loop
// of as many iterations, which leaves most of the machine idle now and then.
import {
  hasEffect,
  mapSubPrograms,
  newVariable,
  pruneProgram,
  substitute,
  type Atom,
  type Equation,
  type Program,
  type ScanParams,
  type Variable,
} from "../../array/index.js";
import { withJoined } from "./siblings.js";
import { Body } from "./stages.js";

/** A program whose loops have chains made one iteration ahead, wherever another loop inside has the same iterations. */
export function makeAhead(program: Program): Program {
  const equations = program.equations.flatMap((given): readonly Equation[] => {
    const equation = mapSubPrograms(given, makeAhead);
    return equation.primitive.name === "scan" ? (rotated(equation) ?? [equation]) : [equation];
  });
  return { ...program, equations };
}

const paramsOf = ({ params }: Equation): ScanParams => params as ScanParams;

const isLoop = (equation: Equation): boolean => equation.primitive.name === "scan" && !hasEffect(equation);

/** A loop and what comes before it, so that chains are ahead; null where that is of no use. */
function rotated(equation: Equation): readonly Equation[] | null {
  const { body, constants, carries, length } = paramsOf(equation);
  if (length < 2 || hasEffect(equation)) return null;
  const inside = new Body(paramsOf(equation));
  const chains = [...inside.chain(inside.light)].filter(isLoop);
  const hosts = body.equations.filter((one) => isLoop(one) && !chains.includes(one));
  const hasHost = chains.filter((chain) => hosts.some((host) => areBeside(chain, host)));
  if (hasHost.length === 0) return null;
  const needed = inside.neededBy(hasHost);
  const isAhead = inside.areIn(needed);
  const chain = inside.chain(needed);
  if (!hasHost.some((one) => chain.has(one))) return null;
  const slices = new Set<Atom>(body.inputs.slice(constants + carries));
  if ([...chain].some(({ inputs }) => inputs.some((input) => slices.has(input)))) return null;

  const fixed = body.inputs.slice(0, constants);
  const carried = body.inputs.slice(constants, constants + carries);
  const own = carried.filter((_, index) => isAhead[index]);
  const next = body.outputs.slice(0, carries).filter((_, index) => isAhead[index]);
  const kept = usedElsewhere(body, chain, isAhead);
  const step: Program = {
    inputs: [...fixed, ...own],
    equations: inside.withFixed(chain, [...next, ...kept]),
    outputs: [...next, ...kept],
  };
  const first = substitute(step, [
    ...equation.inputs.slice(0, constants),
    ...equation.inputs.slice(constants, constants + carries).filter((_, index) => isAhead[index]),
  ]);
  const ahead = step.outputs.map(({ type }) => newVariable(type));
  const following = substitute(step, [...fixed, ...ahead.slice(0, own.length)]);
  const names = new Map<Atom, Atom>(kept.map((value, at) => [value, ahead[own.length + at]]));
  const rename = (atom: Atom): Atom => names.get(atom) ?? atom;
  const others = body.equations
    .filter((one) => !chain.has(one))
    .map((one) => ({ ...one, inputs: one.inputs.map(rename) }));
  let taken = 0;
  const outputs = body.outputs.map((atom, index) =>
    index < carries && isAhead[index] ? ahead[taken++] : rename(atom),
  );
  const rotatedBody = pruneProgram({
    inputs: [
      ...body.inputs.slice(0, constants + carries),
      ...ahead,
      ...body.inputs.slice(constants + carries),
    ],
    equations: besideHosts(following.equations, others),
    outputs: [...outputs.slice(0, carries), ...following.outputs, ...outputs.slice(carries)],
  });
  const loop: Equation = {
    ...equation,
    inputs: [
      ...equation.inputs.slice(0, constants + carries),
      ...first.outputs,
      ...equation.inputs.slice(constants + carries),
    ],
    outputs: [
      ...equation.outputs.slice(0, carries),
      ...ahead.map(({ type }) => newVariable(type)),
      ...equation.outputs.slice(carries),
    ],
    params: {
      ...paramsOf(equation),
      body: rotatedBody,
      carries: carries + ahead.length,
    } satisfies ScanParams,
  };
  return [...first.equations, loop];
}

/** Whether two loops have the same iterations. */
const areBeside = (one: Equation, other: Equation): boolean =>
  paramsOf(one).length === paramsOf(other).length && paramsOf(one).reverse === paramsOf(other).reverse;

/** What the rest of a body uses of a chain. */
function usedElsewhere(
  { equations, outputs }: Program,
  chain: ReadonlySet<Equation>,
  isAhead: readonly boolean[],
): Variable[] {
  const used = new Set<Atom>([
    ...equations.filter((one) => !chain.has(one)).flatMap(({ inputs }) => inputs),
    ...outputs.filter((_, index) => !isAhead[index]),
  ]);
  return [...chain].flatMap((one) => one.outputs.filter((output) => used.has(output)));
}

/** Equations with each loop of a chain as one with a loop of the same iterations among the others, which need nothing of it. */
function besideHosts(chain: readonly Equation[], others: readonly Equation[]): readonly Equation[] {
  let found = [...chain, ...others];
  for (const loop of chain.filter(isLoop)) {
    const host = others.find((one) => isLoop(one) && areBeside(loop, one) && found.includes(one));
    // The chain comes second, on threads that the other leaves idle. Each loop of a chain has a host of its own.
    if (host !== undefined) found = [...withJoined(found, [host, loop])];
  }
  return found;
}
