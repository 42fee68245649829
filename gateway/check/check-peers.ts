import type { Config } from "../../config/config.ts";
import { probePeer } from "../../core/a2a/index.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Finding } from "./finding.ts";

const PATIENCE_MS = 15_000;

/** Asks every agent elsewhere whether it is there and lets us in. Nothing is sent to it that it would work on. */
export const checkPeers = async ({ a2a }: Config): Promise<Finding[]> =>
  Promise.all(
    Object.entries(a2a.peers).map(async ([name, peer]): Promise<Finding> => {
      const subject = `peer ${name}`;
      try {
        await probePeer({ name, ...peer }, AbortSignal.timeout(PATIENCE_MS));
        return { verdict: "ok", subject, text: "its card is there, and it lets us in" };
      } catch (error) {
        return { verdict: "problem", subject, text: messageOf(error) };
      }
    }),
  );
