import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import {
  cancelSchedule,
  consoleOwner,
  createSchedule,
  pauseSchedule,
  resumeSchedule,
  runNow,
  type Schedule,
  ScheduleInput,
  scheduleKey,
  schedulesOfAgent,
} from "../../../core/schedules/index.ts";
import { runIdOf, runKey, runsOf, type ScheduleRun } from "../../../core/schedules/runs/index.ts";
import { describeWhen, understandWhen } from "../../../core/schedules/when/index.ts";
import {
  type Page,
  type PageQuery,
  requests,
  type ScheduleRequest,
  type ScheduleRun as ShownRun,
  type Schedule as ShownSchedule,
} from "../../admin-api/index.ts";
import { destinationOf } from "../../agent-config.ts";
import type { AdminDeps, AdminRequest } from "../admin-request.ts";
import { adminRoute, checked, noteDetail } from "../admin-request.ts";
import { managedAgent, managedAgents } from "../managed-resources.ts";
import { badCursor, pageOf, partsOfRef, readRef, refOf } from "../page.ts";

const RequestBody = ScheduleInput.extend({ agent: z.string() }) satisfies z.ZodType<unknown, ScheduleRequest>;

/** Schedules: list, create, run, pause, resume, cancel. */
export const scheduleRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, store, clock } = deps;
  const show = async (schedule: Schedule): Promise<ShownSchedule> => {
    const last = schedule.lastRun === undefined ? undefined : await store.get(runKey(schedule, schedule.lastRun));
    return shown(schedule, clock.now(), last?.value);
  };

  const find = async (request: AdminRequest, ref: string): Promise<Schedule> => {
    const [name = "", owner = "", id = ""] = partsOfRef(ref, 3);
    const found = await store.get(scheduleKey({ ...managedAgent(config, request, name), owner, id }));
    if (found === undefined) throw new AppError("not-found", "this schedule no longer exists: reload the list");
    return found.value;
  };

  adminRoute(scope, "GET schedules", async (request) => {
    const { agent, status, ...page } = checked(requests["GET schedules"], request.query);
    const sources = managedAgents(config, request, agent).map((each) => ({
      name: each.agent,
      list: () => store.list(schedulesOfAgent(each)),
    }));
    return pageOf(sources, page, async (schedule) =>
      status === undefined || schedule.status === status ? show(schedule) : undefined,
    );
  });

  adminRoute(scope, "POST schedules", async (request, reply) => {
    const { agent: name, deliverTo, when, timeZone, ...draft } = checked(RequestBody, request.body);
    const { agent, tenant } = managedAgent(config, request, name);
    const home = deliverTo ?? config.agents.find((each) => each.name === agent)?.home;
    if (home === undefined) throw new AppError("bad-input", "the agent has no home: set deliverTo");
    const { when: time } = await understandWhen(when, { now: clock.now(), timeZone });
    const schedule = await createSchedule(deps, {
      ...draft,
      tenant,
      agent,
      ...consoleOwner({ agent }),
      id: `schedule-${randomUUID().slice(0, 8)}`,
      when: time,
      destination: destinationOf(config, home),
      madeIn: "console",
    });
    reply.code(201);
    return show(schedule);
  });

  adminRoute(scope, "GET schedules/:ref/runs", async (request) => {
    const page = checked(requests["GET schedules/:ref/runs"], request.query);
    const schedule = await find(request, request.params.ref);
    const { items, ...rest } = await newestRuns(store, schedule, page);
    return { items: items.map((run) => shownRun(schedule, run)), ...rest };
  });

  const act = (
    verb: "run" | "cancel" | "pause" | "resume",
    change: (schedule: Schedule, request: AdminRequest) => Promise<void>,
  ) =>
    adminRoute(scope, `POST schedules/:ref/${verb}`, async (request) => {
      const schedule = await find(request, request.params.ref);
      noteDetail(request, { agent: schedule.agent, schedule: schedule.id });
      await change(schedule, request);
      return show(await find(request, request.params.ref));
    });
  act("run", (schedule, request) => runNow(deps, schedule, request.id));
  act("cancel", (schedule) => cancelSchedule(deps, schedule));
  act("pause", (schedule) => pauseSchedule(deps, schedule, "an operator paused it"));
  act("resume", (schedule) => resumeSchedule(deps, schedule));
};

/** Without the prompt, which may quote private messages. */
const shown = (schedule: Schedule, now: number, last: ScheduleRun | undefined): ShownSchedule => {
  const { agent, tenant, owner, id, description, when, missed, madeIn, status, nextDueAt, failures } = schedule;
  const { asker, paused, createdAt } = schedule;
  return {
    ref: refOf(agent, owner, id),
    id,
    agent,
    tenant,
    description,
    ...(madeIn === "chat" && { owner: { ...accountIn(owner), name: asker.name } }),
    // Only an active schedule has a next time.
    when: status === "active" ? describeWhen(when, now) : describeWhen(when, now).replace(/, next: .*$/, ""),
    missed,
    madeIn,
    status,
    nextDueAt,
    timeZone: when.timeZone,
    ...(status === "paused" && paused && { paused: { reason: paused.reason, at: paused.at } }),
    ...(last && { lastRun: shownRun(schedule, last) }),
    failures,
    createdAt,
  };
};

/** The account in the owner of a schedule that was made in a chat. */
const accountIn = (owner: string): { channel: string; accountId: string } => {
  const slash = owner.indexOf("/");
  return { channel: owner.slice(0, slash), accountId: owner.slice(slash + 1) };
};

const shownRun = (
  schedule: Schedule,
  { name, dueAt, through, firedAt, state, outcome, reason }: ScheduleRun,
): ShownRun => ({
  name,
  dueAt,
  through,
  firedAt,
  state,
  ...(outcome !== undefined && { outcome }),
  ...(reason !== undefined && { reason }),
  ...(state !== "skipped" && { messageId: runIdOf(schedule, name) }),
});

/** The runs of a schedule, the newest first. It reads all stored runs: those of a month, at most one a minute. */
const newestRuns = async (
  store: Store,
  schedule: Schedule,
  { limit, after }: PageQuery,
): Promise<Page<ScheduleRun>> => {
  const before = after === undefined ? undefined : cursorIn(after);
  const found: ScheduleRun[] = [];
  for await (const { value } of store.list(runsOf(schedule))) {
    if (before === undefined || cursorOf(value) < before) found.push(value);
  }
  found.sort((one, other) => (cursorOf(one) < cursorOf(other) ? 1 : -1));
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(last && found.length > limit && { next: refOf(cursorOf(last)) }) };
};

/** The name breaks ties between runs that fired at the same time. */
const cursorOf = ({ firedAt, name }: ScheduleRun): string => `${firedAt} ${name}`;

const cursorIn = (after: string): string => {
  const [cursor] = readRef(after) ?? [];
  if (cursor === undefined) throw badCursor();
  return cursor;
};
