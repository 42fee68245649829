import { type ListTasksRequest, type ListTasksResponse, TaskState } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import type { InboundTask } from "../../core/a2a/inbound/inbound-task.ts";
import { tasksOf } from "../../core/a2a/inbound/inbound-task.ts";
import type { Store } from "../../core/contract/store.ts";
import { checkHistoryLength } from "./read-call.ts";
import { toWire, wireState } from "./to-wire.ts";

const DEFAULT_PAGE = 50;
const LARGEST_PAGE = 100;

type Owner = Parameters<typeof tasksOf>[0];

/** A caller's tasks, the latest changed first. */
export const listTasks = async (store: Store, owner: Owner, request: ListTasksRequest): Promise<ListTasksResponse> => {
  const { contextId, status, statusTimestampAfter, historyLength, includeArtifacts, pageToken } = request;
  const pageSize = request.pageSize ?? DEFAULT_PAGE;
  check(request, pageSize);
  const after = statusTimestampAfter ? Date.parse(statusTimestampAfter) : Number.NEGATIVE_INFINITY;
  const found: InboundTask[] = [];
  for await (const { value } of store.list(tasksOf(owner))) {
    if (contextId !== "" && value.contextId !== contextId) continue;
    if (status !== TaskState.TASK_STATE_UNSPECIFIED && wireState(value.state) !== status) continue;
    if (Date.parse(value.statusAt) > after) found.push(value);
  }
  found.sort((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1));
  const from = pageToken === "" ? undefined : Buffer.from(pageToken, "base64url").toString();
  const rest = from === undefined ? found : found.filter((task) => placeOf(task) < from);
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  return {
    tasks: page.map((task) => ({ ...toWire(task, historyLength), ...(!includeArtifacts && { artifacts: [] }) })),
    nextPageToken: last !== undefined && rest.length > pageSize ? Buffer.from(placeOf(last)).toString("base64url") : "",
    pageSize,
    totalSize: found.length,
  };
};

const placeOf = ({ statusAt, id }: InboundTask): string => `${statusAt} ${id}`;

const check = (
  { status, statusTimestampAfter, historyLength, pageToken }: ListTasksRequest,
  pageSize: number,
): void => {
  checkHistoryLength(historyLength);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > LARGEST_PAGE) {
    throw new RequestMalformedError(`pageSize must be a whole number from 1 to ${LARGEST_PAGE}`);
  }
  if (!(status in TaskState) || status === TaskState.UNRECOGNIZED) {
    throw new RequestMalformedError("status is no state of a task");
  }
  if (statusTimestampAfter && Number.isNaN(Date.parse(statusTimestampAfter))) {
    throw new RequestMalformedError("statusTimestampAfter is no time: write it as 2026-03-01T10:00:00Z");
  }
  if (!/^[\w-]*$/.test(pageToken)) throw new RequestMalformedError("pageToken is none that this server gave out");
};
