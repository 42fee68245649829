import type { z } from "zod";
import { type AbuseAnswers, abuseRequests } from "./abuse.ts";
import { type AuditAnswers, auditRequests } from "./audit.ts";
import { type ChannelAnswers, channelRequests } from "./channels.ts";
import { type DeadLetterAnswers, deadLetterRequests } from "./dead-letters.ts";
import { type PeopleAnswers, peopleRequests } from "./people.ts";
import { type ScheduleAnswers, type ScheduleRequest, scheduleRequests } from "./schedules.ts";
import { type SessionAnswers, sessionRequests } from "./sessions.ts";
import { type SubtaskAnswers, subtaskRequests } from "./subtasks.ts";
import { type TenantAnswers, tenantRequests } from "./tenants.ts";
import { type ToolAnswers, toolRequests } from "./tools.ts";
import { type TraceAnswers, traceRequests } from "./traces.ts";
import { type UseAnswers, useRequests } from "./use.ts";

/** The answer of every endpoint below `/admin/api/`. Routes and clients are checked against it. */
interface Answers
  extends AbuseAnswers,
    AuditAnswers,
    ChannelAnswers,
    DeadLetterAnswers,
    PeopleAnswers,
    ScheduleAnswers,
    SessionAnswers,
    SubtaskAnswers,
    TenantAnswers,
    ToolAnswers,
    TraceAnswers,
    UseAnswers {}

/** Such as "GET channels/:channel". */
export type Endpoint = keyof Answers;
export type AnswerTo<E extends Endpoint> = Answers[E];

/** Queries of GET endpoints and bodies of the others. */
export const requests = {
  ...abuseRequests,
  ...auditRequests,
  ...channelRequests,
  ...deadLetterRequests,
  ...peopleRequests,
  ...scheduleRequests,
  ...sessionRequests,
  ...subtaskRequests,
  ...tenantRequests,
  ...toolRequests,
  ...traceRequests,
  ...useRequests,
} satisfies Partial<Record<Endpoint, z.ZodType>>;

/** The query or body as a client sends it; undefined for endpoints that take none. */
export type RequestTo<E extends Endpoint> = E extends keyof typeof requests
  ? z.input<(typeof requests)[E]>
  : E extends "POST schedules"
    ? ScheduleRequest
    : undefined;

/** The parameters in the path of an endpoint. */
export type ParamsOf<E extends string> = { readonly [K in NamesIn<E>]: string };
type NamesIn<E extends string> = E extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : E extends `${string}/:${infer Name}`
    ? Name
    : never;
