import { useCallback, useEffect, useState } from "preact/hooks";
import type { Query } from "../api/admin-client.ts";
import { useConsole } from "./console-context.ts";

export interface Answer<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  /** Asks again, and keeps what is shown until the answer is there. */
  reload(): void;
}

/** What the admin API answers to a GET; asked again when the question changes, or every so often while somebody looks. */
export const useAnswer = <T>(path: string, query: Query = {}, everyMs?: number): Answer<T> => {
  const { client } = useConsole();
  const question = JSON.stringify([path, query]);
  const [answer, setAnswer] = useState<{ question: string; data?: T; error?: unknown }>({ question });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);

  // The question stands for path and query; the round asks it again.
  useEffect(() => {
    const asked = new AbortController();
    client.get<T>(path, query, asked.signal).then(
      (data) => setAnswer({ question, data }),
      (error: unknown) => {
        if (!asked.signal.aborted) setAnswer({ question, error });
      },
    );
    return () => asked.abort();
  }, [client, question, round]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);

  const isCurrent = answer.question === question;
  return { data: isCurrent ? answer.data : undefined, error: isCurrent ? answer.error : undefined, reload };
};
