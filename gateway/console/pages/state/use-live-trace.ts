import { useCallback, useEffect, useState } from "preact/hooks";
import type { Trace } from "../../../admin-api/index.ts";
import { Refused } from "../api/refused.ts";
import { useConsole } from "./console-context.ts";

const RECONNECT_MS = 3_000;

interface LiveTrace {
  readonly data: Trace | undefined;
  readonly error: unknown;
  /** Connected to the event stream. */
  readonly isLive: boolean;
  reload(): void;
}

/**
 * Follows a trace by server-sent events while the page is visible, because browsers limit connections per host. It
 * reconnects after an interruption and keeps the last data until then.
 */
export const useLiveTrace = (id: string, agent: string | undefined): LiveTrace => {
  const { client } = useConsole();
  const [data, setData] = useState<Trace>();
  const [error, setError] = useState<unknown>();
  const [isLive, setLive] = useState(false);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const isVisible = useVisible();

  // `round` restarts the stream.
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
        if (left.signal.aborted || (hasShown && isTemporary(caught))) return;
        setData(undefined);
        setError(caught);
        left.abort();
      }
    };
    const keepFollowing = async (): Promise<void> => {
      while (!left.signal.aborted) {
        await follow();
        setLive(false);
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
      }
    };
    void keepFollowing();
    return () => left.abort();
  }, [client, id, agent, round, isVisible]);

  return { data, error, isLive, reload };
};

/** The connection was interrupted, or the gateway is restarting. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof Refused) || error.status === 0 || error.status >= 500;

/** Whether the tab is visible. */
const useVisible = (): boolean => {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const follow = () => setVisible(!document.hidden);
    document.addEventListener("visibilitychange", follow);
    return () => document.removeEventListener("visibilitychange", follow);
  }, []);
  return isVisible;
};
