import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { ConfigFile } from "../../config/file/index.ts";
import type { Config } from "../../config/index.ts";
import { AppError } from "../../core/contract/app-error.ts";
import type { ScheduleDeps } from "../../core/schedules/index.ts";
import type { AnswerTo, Endpoint, ParamsOf, Refusal } from "../admin-api/index.ts";
import type { LogTail } from "../telemetry/index.ts";
import { mayManage, type Operator } from "./operator.ts";

/** A request with any parameters. */
export type AdminRequest = Pick<FastifyRequest, "headers" | "id">;

/** The operator of a request, and the details for the audit log. */
interface OperatorRequest {
  readonly operator: Operator;
  /** The tenant that the request concerns, once known. */
  tenant?: string;
  detail?: Record<string, unknown>;
}

const operatorRequests = new WeakMap<FastifyRequest["headers"], OperatorRequest>();

export const attachOperator = ({ headers }: AdminRequest, operator: Operator): void =>
  void operatorRequests.set(headers, { operator });

export const operatorRequestOf = ({ headers }: AdminRequest): OperatorRequest => {
  const known = operatorRequests.get(headers);
  if (known === undefined) throw new AppError("unauthorised", "an operator's token is required");
  return known;
};

export const operatorOf = (request: AdminRequest): Operator => operatorRequestOf(request).operator;

/** Whether the operator may manage a tenant; if so, the audit log names it. */
export const mayUse = (request: AdminRequest, tenant: string): boolean => {
  const known = operatorRequestOf(request);
  const may = mayManage(known.operator, tenant);
  if (may) known.tenant = tenant;
  return may;
};

/** For resources that belong to no tenant. */
export const mustBePlatformAdmin = (request: AdminRequest): void => {
  if (operatorOf(request).role === "platform_admin") return;
  throw new AppError("forbidden", "only a platform admin may do this, because it belongs to no tenant");
};

/** Adds details to the audit entry. Never message text or secrets. */
export const noteDetail = (request: AdminRequest, detail: Record<string, unknown>): void => {
  const known = operatorRequestOf(request);
  known.detail = { ...known.detail, ...detail };
};

/** Parses a body or query; throws "bad-input" with every problem and its path. */
export const checked = <T>(schema: z.ZodType<T>, given: unknown): T => {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new AppError("bad-input", problems.join("; "));
};

/** The dependencies of the operator routes. */
export interface AdminDeps extends ScheduleDeps {
  readonly config: Config;
  /** The address at which browsers reach this gateway. */
  readonly publicUrl: string;
  /** The adapters of this gateway. */
  readonly adapters: readonly ChannelAdapter[];
  /** Identifies this process among the gateways of a channel. */
  readonly instance: string;
  /** Absent: this process keeps no log lines. */
  readonly logTail?: LogTail | undefined;
  /** Absent: this process has no configuration file. */
  readonly configFile?: ConfigFile | undefined;
  /** Absent: this process cannot reload its configuration. */
  readonly reload?: (() => Promise<AnswerTo<"POST configuration/reload">>) | undefined;
}

/** Registers an endpoint. The compiler checks its path, parameters and answer against the API's types. */
export const adminRoute = <E extends Endpoint>(
  scope: FastifyInstance,
  endpoint: E,
  handle: (request: ParamsRequest<E>, reply: FastifyReply) => Promise<AnswerTo<E> | Refusal>,
): void => register(scope, endpoint, (request, reply) => handle(request as never, reply));

/**
 * Registers an endpoint that sends server-sent events, each checked as an answer. `undefined` keeps an idle connection
 * open. The signal aborts when the client disconnects.
 */
export const adminEventRoute = <E extends Endpoint>(
  scope: FastifyInstance,
  endpoint: E,
  name: string,
  events: (request: ParamsRequest<E>, signal: AbortSignal) => Promise<AsyncIterable<AnswerTo<E> | undefined>>,
): void =>
  register(scope, endpoint, async (request, reply) => {
    const left = new AbortController();
    reply.raw.once("close", () => left.abort());
    const texts = textsOf(name, await events(request as never, left.signal));
    return reply.type("text/event-stream").header("x-accel-buffering", "no").send(Readable.from(texts));
  });

type ParamsRequest<E extends Endpoint> = FastifyRequest<{ Params: ParamsOf<E> }>;
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

const register = (scope: FastifyInstance, endpoint: Endpoint, handler: Handler): void => {
  const [method = "", path = ""] = endpoint.split(" ");
  scope.route({ method, url: `/admin/api/${path}`, handler });
};

async function* textsOf(name: string, events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const event of events) yield eventText(name, event);
}

/** A server-sent event; without data, a comment that clients ignore. */
export const eventText = (name: string, data: unknown): string =>
  data === undefined ? ": still here\n\n" : `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
