import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { UserMessage } from "../../core/contract/user-message.ts";
import { Unwritable, unlessUnwritable } from "../../core/contract/write-availability.ts";
import type { WebhookRequest, WebhookResponse } from "../contract/abilities.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Inbox } from "../contract/channel-adapter.ts";
import { Activity } from "./activity.ts";
import type { TeamsConfig } from "./config.ts";
import { conversationOf, installationIn, referenceOf, userMessageOf } from "./inbound.ts";
import { unreachableFrom } from "./reach-state.ts";
import { isOurs, readBody } from "./read-activity.ts";
import type { References } from "./references.ts";
import { verifyToken } from "./verify.ts";

export interface IntakeParts {
  readonly config: TeamsConfig;
  readonly context: AdapterContext;
  readonly references: References;
  readonly keys: Parameters<typeof verifyToken>[1]["keys"];
  readonly botId: string;
  /** Says to a person why they are not heard, at most now and then. */
  readonly tell: (message: UserMessage, refusal: AppError) => void;
}

/** The same message would be refused for the same reason if it came again. */
const FINAL: ReadonlySet<string> = new Set(["forbidden", "rate-limited", "too-large", "bad-input"]);

/** What Teams posts: verified, stored, and only then acknowledged. */
export const receiveActivity = async (
  { headers, body }: WebhookRequest,
  inbox: Inbox,
  parts: IntakeParts,
): Promise<WebhookResponse> => {
  const { config, context } = parts;
  let json: unknown;
  try {
    const serviceUrl = await verifyToken(headers.authorization, { config, keys: parts.keys, clock: context.clock });
    json = readBody(body);
    if (!isOurs(json, { serviceUrl, tenantId: config.tenantId })) throw new AppError("forbidden", "not for this bot");
  } catch (error) {
    context.logger.debug({ reason: messageOf(error) }, "request refused");
    return error instanceof AppError && error.code === "forbidden" ? { status: 401 } : { status: 503 };
  }
  const activity = Activity.safeParse(json);
  if (!activity.success) return { status: 400, body: "not an activity: it needs a type, an id and a conversation" };
  if (activity.data.type === "invoke") return { status: 501 };
  try {
    await unlessUnwritable(context.writes, () => takeIn(activity.data, inbox, parts));
    return { status: 200 };
  } catch (error) {
    // not stored: Teams sends it again
    context.logger[error instanceof Unwritable ? "debug" : "warn"]({ error: messageOf(error) }, "activity not stored");
    return { status: 503 };
  }
};

const takeIn = async (activity: Activity, inbox: Inbox, parts: IntakeParts): Promise<void> => {
  const { config, context, botId } = parts;
  await keepReferences(activity, parts);
  const message = userMessageOf(activity, {
    ...context,
    directory: config.tenantId,
    botId,
    mentionOnly: config.access?.mentionOnly ?? true,
    now: context.clock.now(),
    traceId: context.newId(),
  });
  if (message === undefined) return;
  try {
    if (activity.from?.aadObjectId === undefined && config.access?.accounts === undefined) throw notAMember();
    await inbox.accept(message);
  } catch (error) {
    if (!(error instanceof AppError && FINAL.has(error.code))) throw error;
    if (!message.isEdit) parts.tell(message, error);
  }
};

const keepReferences = async (activity: Activity, { context, references, botId }: IntakeParts): Promise<void> => {
  const { room, kind } = conversationOf(activity, context.channel);
  if (installationIn(activity, botId) === "removed") {
    const known = await references.room(room);
    const removed = unreachableFrom("removed", known?.value.unreachable, context.clock.now());
    if (known) await references.mark(room, known, removed);
    return;
  }
  const { from, serviceUrl } = activity;
  const isPerson = from?.aadObjectId !== undefined && !from.id.startsWith("28:");
  await Promise.all([
    references.keepRoom(room, referenceOf(activity)),
    isPerson &&
      references.keepPerson(from.aadObjectId ?? "", {
        userId: from.id,
        serviceUrl,
        ...(kind === "private" && { privateRoom: room }),
      }),
  ]);
};

const notAMember = (): AppError =>
  new AppError("forbidden", "only members of this organisation may talk to the agent here");
