// The agent itself: the run's environment in the page, compiled here, played by a checkpoint's policy.
import { environmentOf } from "vibe-rl/config";
import { loadPolicy } from "vibe-rl/policy";
import { createPlayer, type Player } from "../components/player.js";
import { fetchPolicy } from "./api.js";

export interface Played {
  readonly id: string;
  readonly envId: string;
  readonly envParams: Readonly<Record<string, unknown>>;
  readonly step: number;
  readonly member: number | null;
}

/** Puts the agent of a checkpoint into an element, at play. */
export async function play(
  host: HTMLElement,
  { id, envId, envParams, step, member }: Played,
): Promise<Player> {
  const [env, params] = environmentOf({ envId, envParams });
  const policy = await loadPolicy(await fetchPolicy(id, step, member));
  return createPlayer(host, { env, params, policy });
}

/** Another checkpoint of the same run takes over. */
export async function playStep(player: Player, { id, step, member }: Played): Promise<void> {
  player.setPolicy(await loadPolicy(await fetchPolicy(id, step, member)));
}
