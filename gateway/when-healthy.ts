import { AppError } from "../core/contract/app-error.ts";
import type { Backbone } from "../core/contract/backbone.ts";
import type { Clock } from "../core/contract/clock.ts";

const LOOK_AGAIN_MS = 100;

/** Resolves once the backbone can be used; rejects with "stopped" if somebody gives up first. */
export const whenHealthy = (backbone: Backbone, clock: Clock, giveUp: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const look = () => {
      if (giveUp.aborted) reject(new AppError("stopped", "stopped before the backbone could be reached"));
      else if (backbone.health().ok) resolve();
      else clock.after(LOOK_AGAIN_MS, look);
    };
    look();
  });
