import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { cancelSchedule, resumeSchedule } from "../../core/schedules/cancel-schedule.ts";
import { ScheduleInput } from "../../core/schedules/config.ts";
import { createSchedule } from "../../core/schedules/create-schedule.ts";
import { describeWhen } from "../../core/schedules/describe-when.ts";
import { parseWhen } from "../../core/schedules/parse-when.ts";
import { runNow } from "../../core/schedules/run-now.ts";
import type { ScheduleParts } from "../../core/schedules/schedule-parts.ts";
import type { Schedule } from "../../core/schedules/schedule-record.ts";
import { CONSOLE, scheduleKey, schedulesOfAgent } from "../../core/schedules/schedule-record.ts";
import { destinationOf } from "../configured-schedules.ts";
import type { AdminRequest } from "./admin-scope.ts";
import { checked, mayUse } from "./admin-scope.ts";

export interface AdminScheduleParts extends ScheduleParts {
  readonly config: Pick<Config, "people" | "agents">;
}

const PageQuery = z.object({
  agent: z.string(),
  after: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
const NewSchedule = ScheduleInput.extend({ agent: z.string() });

/** Schedules of everybody, for operators: seen, made, run, cancelled and resumed. */
export const scheduleRoutes = (scope: FastifyInstance, parts: AdminScheduleParts): void => {
  const tenantFor = (request: AdminRequest, agent: string): string => {
    const found = parts.config.agents.find(({ name }) => name === agent);
    if (found === undefined || !mayUse(request, found.tenant)) {
      throw new AppError("not-found", `there is no agent "${agent.slice(0, 60)}" that you may manage`);
    }
    return found.tenant;
  };

  const find = async (request: AdminRequest, ref: string): Promise<Schedule> => {
    const [agent = "", owner = "", id = ""] = partsOfRef(ref);
    const tenant = tenantFor(request, agent);
    const found = await parts.store.get(scheduleKey({ tenant, agent, owner, id }));
    if (found === undefined) throw new AppError("not-found", "there is no such schedule any more");
    return found.value;
  };

  scope.get("/admin/api/schedules", async (request) => {
    const { agent, after = "", limit } = checked(PageQuery, request.query);
    const tenant = tenantFor(request, agent);
    const schedules: unknown[] = [];
    let next: string | undefined;
    for await (const { key, value } of parts.store.list(schedulesOfAgent({ tenant, agent }))) {
      if (key <= after) continue;
      if (schedules.length === limit) return { schedules, next };
      schedules.push(shown(value, parts.clock.now()));
      next = key;
    }
    return { schedules };
  });

  scope.post("/admin/api/schedules", async (request, reply) => {
    const { agent, deliverTo, when, timeZone, ...draft } = checked(NewSchedule, request.body);
    const tenant = tenantFor(request, agent);
    const place = deliverTo ?? parts.config.agents.find(({ name }) => name === agent)?.home;
    if (place === undefined) throw new AppError("bad-input", "say where its results go: set deliverTo");
    const now = parts.clock.now();
    const schedule = await createSchedule(parts, {
      ...draft,
      tenant,
      agent,
      owner: CONSOLE,
      id: `schedule-${randomUUID().slice(0, 8)}`,
      when: parseWhen(when, { now, timeZone }),
      destination: destinationOf(parts.config, place),
      asker: { personId: CONSOLE, accountId: CONSOLE, name: agent },
      madeIn: "console",
    });
    return reply.code(201).send(shown(schedule, now));
  });

  const act = (
    verb: "run" | "cancel" | "resume",
    change: (schedule: Schedule, request: AdminRequest) => Promise<void>,
  ) =>
    scope.post<{ Params: { ref: string } }>(`/admin/api/schedules/:ref/${verb}`, async (request) => {
      const schedule = await find(request, request.params.ref);
      await change(schedule, request);
      parts.logger.info({ schedule: schedule.id, agent: schedule.agent, verb }, "operator changed a schedule");
      return shown(await find(request, request.params.ref), parts.clock.now());
    });
  act("run", (schedule, request) => runNow(parts, schedule, request.id));
  act("cancel", (schedule) => cancelSchedule(parts, schedule));
  act("resume", (schedule) => resumeSchedule(parts, schedule));
};

/** Without the prompt: it may hold what people said in private. */
const shown = (schedule: Schedule, now: number) => {
  const { agent, owner, id, description, when, missed, madeIn, status, nextDueAt, failures, createdAt } = schedule;
  const ref = Buffer.from(JSON.stringify([agent, owner, id])).toString("base64url");
  const rhythm = describeWhen(when, now);
  return { ref, id, agent, description, when: rhythm, missed, madeIn, status, nextDueAt, failures, createdAt };
};

const partsOfRef = (ref: string): string[] => {
  try {
    return z
      .array(z.string())
      .length(3)
      .parse(JSON.parse(Buffer.from(ref, "base64url").toString("utf8")));
  } catch {
    throw new AppError("not-found", "there is no such schedule");
  }
};
