import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import { refuseIfUnwritable } from "../../../core/contract/ports/backbone.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import type { Webhook, WebhookResponse } from "../../contract/abilities.ts";
import type { AddressRates } from "../../contract/rate-limit.ts";
import { type Listed, MAX_TITLE_LENGTH, shortTitle } from "../history/conversation-list.ts";
import { MAIN, roomNamed } from "../history/room-address.ts";
import { type Caller, JSON_TYPE, type VisitorRequests } from "../identity/visitor-request.ts";
import { LIST_CHANGED } from "../server/show-signal.ts";
import { type DeleteConversationDeps, deleteConversation } from "./delete-conversation.ts";

export interface ConversationRoutesDeps {
  readonly requests: VisitorRequests;
  /** Undefined while the channel is not running. */
  deps(): (DeleteConversationDeps & { readonly addressRates: AddressRates }) | undefined;
}

const PATH = "conversations";
const MAX_BODY_BYTES = 4_096;

const Id = z.string().min(1).max(100);
const Request = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("start") }),
  z.strictObject({ action: z.literal("rename"), id: Id, title: z.string().min(1).max(1_000) }),
  z.strictObject({ action: z.literal("read"), id: Id, seq: z.int().nonnegative() }),
  z.strictObject({ action: z.literal("delete"), id: Id }),
]);
type Request = z.infer<typeof Request>;
type Running = NonNullable<ReturnType<ConversationRoutesDeps["deps"]>>;

/** `GET` and `POST /channels/<channel>/conversations`: a visitor's own conversations, and changes of them. */
export const conversationRoutes = ({ requests, deps }: ConversationRoutesDeps): readonly Webhook[] => {
  const running = (): Running => {
    const found = deps();
    if (found === undefined) throw new AppError("unavailable", "the channel is not ready; retry in a few seconds");
    return found;
  };
  return [
    {
      method: "GET",
      path: PATH,
      maxBodyBytes: 0,
      handle: (request) => requests.respond(request, async (caller) => json(200, await listFor(running(), caller))),
    },
    {
      method: "POST",
      path: PATH,
      maxBodyBytes: MAX_BODY_BYTES,
      handle: (request) =>
        requests.respond(request, async (caller) => {
          const found = running();
          const { addressRates, context } = found;
          if (addressRates.take(request.remoteAddress, context.clock.monotonic()) !== 0)
            throw new AppError("rate-limited", "too many requests; wait, then send this again");
          refuseIfUnwritable(context.writes);
          const wanted = parsed(request.body);
          const started = await change(found, caller, wanted);
          const id = "id" in wanted ? wanted.id : started?.id;
          const conversation = found.rooms.conversation(roomNamed(caller.visitor, id));
          context.signal({ type: "logged", conversation, seq: LIST_CHANGED });
          return started === undefined ? { status: 204 } : json(201, described(started));
        }),
    },
    requests.preflight(PATH),
  ];
};

const parsed = (body: Buffer): Request => {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    throw new AppError("bad-input", "the request body must be JSON");
  }
  const request = Request.safeParse(value);
  if (request.success) return request.data;
  throw new AppError("bad-input", z.prettifyError(request.error).replace(/\s+/g, " ").replace("✖ ", ""));
};

/** Resolves to the conversation that it starts. */
const change = async (deps: Running, { visitor, identity, isAnonymous }: Caller, request: Request) => {
  const { conversations, context } = deps;
  if (request.action === "start") return conversations.start(visitor, await deps.rooms.log({ visitor }).head());
  const { id } = request;
  if (request.action === "read") await conversations.markRead(visitor, id, request.seq);
  else if (request.action === "rename") {
    const title = shortTitle(request.title);
    if (title === "") throw new AppError("bad-input", `title: must have 1 to ${MAX_TITLE_LENGTH} characters`);
    await conversations.rename(visitor, id, title);
  } else {
    const mark = {
      at: context.clock.now(),
      name: identity.name ?? "Visitor",
      ...(isAnonymous && { anonymous: true as const }),
    };
    await deleteConversation(deps, visitor, id, await conversations.beginDeletion(visitor, id, mark));
  }
  return undefined;
};

/** The main conversation first, the others by their latest message. */
const listFor = async (deps: Running, { visitor }: Caller) => {
  const items = await deps.conversations.of(visitor);
  const others = items.filter(({ id }) => id !== MAIN).sort((one, other) => other.changedAt - one.changedAt);
  return { conversations: [await mainOf(deps, visitor, items), ...others.map(described)] };
};

/** Most visitors have only this one, so that its state is read from its log instead of being stored with each message. */
const mainOf = async ({ rooms }: Running, visitor: string, items: readonly Listed[]) => {
  const stored = items.find(({ id }) => id === MAIN);
  const log = rooms.log({ visitor });
  const seq = await log.head();
  const last = await log.read(seq);
  const isReply = last !== undefined && last.frame.type !== "said";
  const read = isReply ? (stored?.read ?? seq) : seq;
  return described({ id: MAIN, createdAt: 0, ...stored, changedAt: last?.at ?? 0, seq, read });
};

const described = ({ id, title, changedAt, seq, read }: Listed) => ({
  id,
  ...(title !== undefined && { title }),
  ...(changedAt > 0 && { changedAt: isoTime(changedAt) }),
  unread: seq > read,
});

const json = (status: number, value: unknown): WebhookResponse => ({
  status,
  headers: { ...JSON_TYPE, "cache-control": "no-store" },
  body: JSON.stringify(value),
});
