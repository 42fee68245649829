import { useCallback, useEffect, useState } from "preact/hooks";
import type { Trace } from "../../../admin-api/index.ts";
import { Refused } from "../api/refused.ts";
import { useConsole } from "./console-context.ts";
import { useVisible } from "./use-visible.ts";

const COME_BACK_MS = 3_000;

export interface LiveTrace {
  readonly data: Trace | undefined;
  readonly error: unknown;
  /** Changes are shown as they happen. */
  readonly isLive: boolean;
  reload(): void;
}

/**
 * A trace that follows what happens while somebody looks: browsers open few connections to one place. One that is cut is
 * opened again; what was shown stays meanwhile.
 */
export const useLiveTrace = (id: string, agent: string | undefined): LiveTrace => {
  const { client } = useConsole();
  const [data, setData] = useState<Trace>();
  const [error, setError] = useState<unknown>();
  const [isLive, setLive] = useState(false);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const isVisible = useVisible();

  // The round begins anew.
  useEffect(() => {
    if (!isVisible) return;
    const left = new AbortController();
    let hasShown = false;
    const follow = async (): Promise<void> => {
      try {
        for await (const trace of client.follow("traces/:id/events", { id, agent }, left.signal)) {
          hasShown = true;
          setData(trace);
          setError(undefined);
          setLive(true);
        }
      } catch (caught) {
        if (left.signal.aborted || (hasShown && mayComeBack(caught))) return;
        setData(undefined);
        setError(caught);
        left.abort();
      }
    };
    const keepFollowing = async (): Promise<void> => {
      while (!left.signal.aborted) {
        await follow();
        setLive(false);
        await new Promise((resolve) => setTimeout(resolve, COME_BACK_MS));
      }
    };
    void keepFollowing();
    return () => left.abort();
  }, [client, id, agent, round, isVisible]);

  return { data, error, isLive, reload };
};

/** A cut connection, or a gateway that restarts. */
const mayComeBack = (error: unknown): boolean =>
  !(error instanceof Refused) || error.status === 0 || error.status >= 500;
