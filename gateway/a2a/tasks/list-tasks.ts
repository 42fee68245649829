import { type ListTasksRequest, type ListTasksResponse, TaskState } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import { z } from "zod";
import { dayOf, daysBefore, summariesOn, type TaskSummary, taskKey } from "../../../core/a2a/inbound/index.ts";
import type { InboundTaskOwner } from "../../../core/contract/messages/addresses.ts";
import { type Clock, isoTime } from "../../../core/contract/ports/clock.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { checkHistoryLength } from "./read-call.ts";
import { toWire, wireState } from "./to-wire.ts";

const DEFAULT_PAGE = 50;
const MAX_PAGE = 100;
/** Tolerated clock skew: a status may be slightly in the future. */
const MAX_SKEW_MS = 5 * 60_000;

interface ListDeps {
  readonly store: Store;
  readonly clock: Clock;
}

/** A caller's tasks, most recently changed first. Reads the index and only the tasks on the page. */
export const listTasks = async (
  { store, clock }: ListDeps,
  owner: InboundTaskOwner,
  request: ListTasksRequest,
): Promise<ListTasksResponse> => {
  const pageSize = request.pageSize ?? DEFAULT_PAGE;
  check(request, pageSize);
  const from = readPageToken(request.pageToken);
  const fits = filterOf(request);
  const since = sinceIn(request);
  const days = daysBefore(clock.now() + MAX_SKEW_MS).filter(
    (day) => since === undefined || day >= dayOf(isoTime(since)),
  );
  const { found, totalSize } = await find(store, owner, days, { fits, pageSize, from });
  const page = found.slice(0, pageSize);
  const tasks = await Promise.all(page.map(async ({ id }) => (await store.get(taskKey({ ...owner, id })))?.value));
  const last = page.at(-1);
  return {
    tasks: tasks.flatMap((task) => {
      // A crash between the writes of index and task leaves a stale entry.
      if (task === undefined || !fits(task)) return [];
      const wire = toWire(task, request.historyLength);
      return [request.includeArtifacts ? wire : { ...wire, artifacts: [] }];
    }),
    nextPageToken: last !== undefined && found.length > pageSize ? writePageToken(last, totalSize) : "",
    pageSize,
    totalSize,
  };
};

interface Search {
  readonly fits: (task: Pick<TaskSummary, "contextId" | "state" | "statusAt">) => boolean;
  readonly pageSize: number;
  readonly from: PagePosition | undefined;
}

/**
 * Finds the entries after the page position, enough for a page and one more. The protocol requires the total number, so
 * the first page reads every entry of its days; later pages take the total from their token.
 */
const find = async (
  store: Store,
  owner: InboundTaskOwner,
  days: readonly string[],
  { fits, pageSize, from }: Search,
) => {
  const found: TaskSummary[] = [];
  const seen = new Set<string>();
  let count = 0;
  for (const day of days) {
    if (from !== undefined && (found.length > pageSize || day > from.day)) continue;
    const ofDay: TaskSummary[] = [];
    for await (const { value } of store.list(summariesOn(owner, day))) {
      if (!seen.has(value.id) && fits(value)) ofDay.push(value);
      seen.add(value.id);
    }
    count += ofDay.length;
    ofDay.sort((one, other) => (sortKeyOf(one) < sortKeyOf(other) ? 1 : -1));
    found.push(...ofDay.filter((task) => from === undefined || sortKeyOf(task) < from.sortKey));
  }
  return { found, totalSize: from?.totalSize ?? count };
};

/** Wall clock, milliseconds. */
const sinceIn = ({ statusTimestampAfter }: ListTasksRequest): number | undefined =>
  statusTimestampAfter ? Date.parse(statusTimestampAfter) : undefined;

const filterOf = (request: ListTasksRequest): Search["fits"] => {
  const { contextId, status } = request;
  const since = sinceIn(request) ?? Number.NEGATIVE_INFINITY;
  return (task) =>
    (contextId === "" || task.contextId === contextId) &&
    (status === TaskState.TASK_STATE_UNSPECIFIED || wireState(task.state) === status) &&
    Date.parse(task.statusAt) >= since;
};

const check = ({ status, statusTimestampAfter, historyLength }: ListTasksRequest, pageSize: number): void => {
  checkHistoryLength(historyLength);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE) {
    throw new RequestMalformedError(`pageSize must be a whole number from 1 to ${MAX_PAGE}`);
  }
  if (!(status in TaskState) || status === TaskState.UNRECOGNIZED) {
    throw new RequestMalformedError("status must be a state of a task");
  }
  if (statusTimestampAfter && Number.isNaN(Date.parse(statusTimestampAfter))) {
    throw new RequestMalformedError("statusTimestampAfter must be a time such as 2026-03-01T10:00:00Z");
  }
};

/** Position after which the next page begins. */
interface PagePosition {
  readonly sortKey: string;
  readonly day: string;
  readonly totalSize: number;
}

const Token = z.tuple([z.iso.datetime(), z.string(), z.int().nonnegative()]);

/** Sort key: the order of the latest change. */
const sortKeyOf = ({ statusAt, id }: Pick<TaskSummary, "statusAt" | "id">): string => `${statusAt} ${id}`;

const writePageToken = ({ statusAt, id }: TaskSummary, totalSize: number): string =>
  Buffer.from(JSON.stringify([statusAt, id, totalSize])).toString("base64url");

/** Undefined for the first page. */
const readPageToken = (token: string): PagePosition | undefined => {
  if (token === "") return undefined;
  try {
    const [statusAt, id, totalSize] = Token.parse(JSON.parse(Buffer.from(token, "base64url").toString()));
    return { sortKey: sortKeyOf({ statusAt, id }), day: dayOf(statusAt), totalSize };
  } catch {
    throw new RequestMalformedError("pageToken must be a nextPageToken of this server");
  }
};
