import type { Place, Seen } from "../account/account.ts";

/** A place that a person writes in. */
export interface Surface {
  readonly place: Place;
  readonly isPrivate: boolean;
  /**
   * Sends it until the product has taken it: resolves then. `again`: and once more, as platforms do that did not hear
   * of it. One at a time in each place, so that their order is known.
   */
  say(text: string, again: boolean): Promise<void>;
}

/** The people of one platform. They keep books of what they see; nobody asks the product. */
export interface Crowd {
  /**
   * The platform has a way to tell what became of a message whose answer was cut off: it recognises a second send, or
   * can be asked. Nothing that goes wrong here keeps anybody from it for long, so nothing may stay unknown.
   */
  readonly tells: boolean;
  surfacesOf(person: string): readonly Surface[];
  /** Every message of the agent that stands on the platform, in the order in which people read it. */
  seen(): readonly Seen[];
  /** What stands there now has been looked at: only what comes from now on is of interest. */
  forget(): void;
}

/** How soon a platform sends again what was not taken. */
export const AGAIN_AFTER_MS = 250;
