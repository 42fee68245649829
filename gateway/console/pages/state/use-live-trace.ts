import { useState } from "preact/hooks";
import type { Trace } from "../../../admin-api/index.ts";
import { useFollow } from "./use-follow.ts";

interface LiveTrace {
  readonly data: Trace | undefined;
  readonly error: unknown;
  /** Connected to the event stream. */
  readonly isLive: boolean;
  reload(): void;
}

/** Follows a trace, and keeps the last data while the connection is interrupted. */
export const useLiveTrace = (id: string, agent: string | undefined): LiveTrace => {
  const [data, setData] = useState<Trace>();
  const followed = useFollow("traces/:id/events", { id, agent }, setData);
  return { ...followed, data: followed.error === undefined ? data : undefined };
};
