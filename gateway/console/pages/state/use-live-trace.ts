import { useCallback, useEffect, useState } from "preact/hooks";
import { Refused } from "../api/refused.ts";
import type { Trace } from "../api/trace.ts";
import { useConsole } from "./console-context.ts";

const COME_BACK_MS = 3_000;

export interface LiveTrace {
  readonly data: Trace | undefined;
  readonly error: unknown;
  /** Changes are shown as they happen. */
  readonly isLive: boolean;
  reload(): void;
}

/** A trace that follows what happens. A connection that is cut is opened again; what was shown stays meanwhile. */
export const useLiveTrace = (id: string, agent: string | undefined): LiveTrace => {
  const { client } = useConsole();
  const [data, setData] = useState<Trace>();
  const [error, setError] = useState<unknown>();
  const [isLive, setLive] = useState(false);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);

  // The round begins anew.
  useEffect(() => {
    const left = new AbortController();
    setError(undefined);
    const follow = async (): Promise<void> => {
      while (!left.signal.aborted) {
        try {
          const path = `traces/${encodeURIComponent(id)}/events`;
          for await (const trace of client.follow<Trace>(path, { agent }, left.signal)) {
            setData(trace);
            setLive(true);
          }
        } catch (caught) {
          if (left.signal.aborted) return;
          if (caught instanceof Refused) {
            setData(undefined);
            setError(caught);
            return;
          }
        }
        setLive(false);
        await new Promise((resolve) => setTimeout(resolve, COME_BACK_MS));
      }
    };
    void follow();
    return () => left.abort();
  }, [client, id, agent, round]);

  return { data, error, isLive, reload };
};
