import { useCallback, useEffect, useState } from "preact/hooks";
import type { AnswerTo } from "../../../admin-api/index.ts";
import type { GetPath, Values } from "../api/admin-client.ts";
import { useConsole } from "./console-context.ts";

export interface Answer<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  /** Repeats the request; the current data stays until the answer arrives. */
  reload(): void;
}

/** The answer to a GET request, repeated when path or values change, and every `everyMs` while the page is visible. */
export const useAnswer = <P extends GetPath>(
  path: P,
  values: Values<P>,
  everyMs?: number,
): Answer<AnswerTo<`GET ${P}`>> => {
  type T = AnswerTo<`GET ${P}`>;
  const { client } = useConsole();
  const question = JSON.stringify([path, values]);
  const [answer, setAnswer] = useState<{ question: string; data?: T; error?: unknown }>({ question });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);

  // `question` stands for path and values, and `round` repeats the request.
  useEffect(() => {
    const asked = new AbortController();
    client.get(path, values, asked.signal).then(
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
