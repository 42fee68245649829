import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { Unwritable, unlessUnwritable } from "../../../core/contract/ports/write-availability.ts";
import type { WebhookRequest, WebhookResponse } from "../../contract/abilities.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Inbox } from "../../contract/channel-adapter.ts";
import { unreachableFrom } from "../api/reach-state.ts";
import type { References } from "../api/references.ts";
import type { TeamsConfig } from "../config.ts";
import { Activity, isOurs, readBody } from "../inbound/activity.ts";
import { conversationOf, installationIn, referenceOf, userMessageOf } from "../inbound.ts";
import { verifyToken } from "./verify.ts";

export interface IntakeDeps {
  readonly config: TeamsConfig;
  readonly context: AdapterContext;
  readonly references: References;
  readonly keys: Parameters<typeof verifyToken>[1]["keys"];
  readonly botId: string;
  /** Shows a person why their message was refused, throttled. */
  readonly showRefusal: (message: InboundMessage, refusal: AppError) => void;
}

/** Errors that a retry of the same activity would repeat. */
const FINAL: ReadonlySet<string> = new Set(["forbidden", "rate-limited", "too-large", "bad-input"]);

/** Handles a webhook call: verifies, stores, and only then acknowledges. */
export const receiveActivity = async (
  { headers, body }: WebhookRequest,
  inbox: Inbox,
  deps: IntakeDeps,
): Promise<WebhookResponse> => {
  const { config, context } = deps;
  let json: unknown;
  try {
    const serviceUrl = await verifyToken(headers.authorization, { config, keys: deps.keys, clock: context.clock });
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
    await unlessUnwritable(context.writes, () => takeIn(activity.data, inbox, deps));
    return { status: 200 };
  } catch (error) {
    // Not stored, so Teams must retry.
    context.logger[error instanceof Unwritable ? "debug" : "warn"]({ error: messageOf(error) }, "activity not stored");
    return { status: 503 };
  }
};

const takeIn = async (activity: Activity, inbox: Inbox, deps: IntakeDeps): Promise<void> => {
  const { config, context, botId } = deps;
  await keepReferences(activity, deps);
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
    if (message.kind !== "edit") deps.showRefusal(message, error);
  }
};

const keepReferences = async (activity: Activity, { context, references, botId }: IntakeDeps): Promise<void> => {
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
