import { type ListTasksRequest, type ListTasksResponse, TaskState } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import { dayOf, daysBefore, summariesOn, type TaskSummary, taskKey } from "../../core/a2a/inbound/index.ts";
import type { Clock } from "../../core/contract/clock.ts";
import { isoTime } from "../../core/contract/clock.ts";
import type { InboundTaskAddress } from "../../core/contract/inbound-task.ts";
import type { Store } from "../../core/contract/store.ts";
import { type PagePlace, placeOf, readPageToken, writePageToken } from "./page-token.ts";
import { checkHistoryLength } from "./read-call.ts";
import { toWire, wireState } from "./to-wire.ts";

const DEFAULT_PAGE = 50;
const MAX_PAGE = 100;
/** Another process may live a little in the future. */
const MAX_SKEW_MS = 5 * 60_000;

type TaskOwner = Pick<InboundTaskAddress, "tenant" | "agent" | "caller">;

interface ListDeps {
  readonly store: Store;
  readonly clock: Clock;
}

/** A caller's tasks, the latest changed first. Of the tasks themselves only those on the page are read. */
export const listTasks = async (
  { store, clock }: ListDeps,
  owner: TaskOwner,
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
      // Whoever died between the index and the task has left an entry that is not true.
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
  readonly from: PagePlace | undefined;
}

/**
 * What follows the place, enough for a page and one more. How many there are is counted with the first page: the protocol
 * wants the number of all that fit, and no store of ours counts, so that page looks at every entry of its days.
 */
const find = async (store: Store, owner: TaskOwner, days: readonly string[], { fits, pageSize, from }: Search) => {
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
    ofDay.sort((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1));
    found.push(...ofDay.filter((task) => from === undefined || placeOf(task) < from.place));
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
    throw new RequestMalformedError("status is no state of a task");
  }
  if (statusTimestampAfter && Number.isNaN(Date.parse(statusTimestampAfter))) {
    throw new RequestMalformedError("statusTimestampAfter is no time: write it as 2026-03-01T10:00:00Z");
  }
};
