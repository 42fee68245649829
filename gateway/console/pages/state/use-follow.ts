import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { AnswerTo } from "../../../admin-api/index.ts";
import type { GetPath, Values } from "../api/admin-client.ts";
import { Refused } from "../api/refused.ts";
import { useConsole } from "./console-context.ts";

const RECONNECT_MS = 3_000;

interface Followed {
  readonly error: unknown;
  /** Connected to the event stream. */
  readonly isLive: boolean;
  /** Connects again. */
  reload(): void;
}

/**
 * Follows server-sent events while the page is visible, because browsers limit connections per host. It reconnects after
 * an interruption; only a refusal is an error.
 */
export const useFollow = <P extends GetPath>(
  path: P,
  values: Values<P>,
  onEvent: (event: AnswerTo<`GET ${P}`>) => void,
  isOn = true,
): Followed => {
  const { client } = useConsole();
  const [error, setError] = useState<unknown>();
  const [isLive, setLive] = useState(false);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const isVisible = useVisible();
  const question = JSON.stringify([path, values]);
  const latest = useRef(onEvent);
  latest.current = onEvent;

  // `question` stands for path and values, and `round` restarts the stream.
  useEffect(() => {
    if (!isVisible || !isOn) return;
    const left = new AbortController();
    let hasShown = false;
    const follow = async (): Promise<void> => {
      try {
        for await (const event of client.follow(path, values, left.signal)) {
          hasShown = true;
          latest.current(event);
          setError(undefined);
          setLive(true);
        }
      } catch (caught) {
        if (left.signal.aborted || (hasShown && isTemporary(caught))) return;
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
  }, [client, question, round, isVisible, isOn]);

  return { error, isLive: isLive && isOn, reload };
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
