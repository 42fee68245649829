import { BoundedCache } from "../../contract/bounded-cache.ts";
import type { Asker, Audience } from "../../contract/messages/work-context.ts";
import type { Agent } from "../turn.ts";

/** The time zone and the language in which a turn reads and writes times. */
export interface LocalTime {
  readonly timeZone: string;
  readonly locale?: string | undefined;
  /** False if the zone is a default of the channel or of the configuration. */
  readonly isKnown: boolean;
}

/** The person's zone, else the channel's, else the configuration's (M1). An invalid zone of a platform counts as absent. */
export const localTimeOf = (
  { defaultsOn }: Pick<Agent, "defaultsOn">,
  { asker, audience }: { readonly asker: Asker; readonly audience: Audience },
): LocalTime => {
  const defaults = defaultsOn(audience.conversation.channel);
  const own = asker.timeZone !== undefined && isTimeZone(asker.timeZone) ? asker.timeZone : undefined;
  return {
    timeZone: own ?? defaults.timeZone ?? "UTC",
    locale: asker.locale ?? defaults.locale,
    isKnown: own !== undefined,
  };
};

/** Cached, because every turn asks, and a zone is checked by making a format. */
const isTimeZone = (timeZone: string): boolean => {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  const isValid = canFormatIn(timeZone);
  zones.set(timeZone, isValid);
  return isValid;
};
const zones = new BoundedCache<string, boolean>(500);

const canFormatIn = (timeZone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
};
