import { decodeProtectedHeader, errors, jwtVerify } from "jose";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { InboundMessage } from "../../core/contract/messages/user-message.ts";
import { Unwritable, unlessUnwritable } from "../../core/contract/ports/backbone.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { WebhookRequest, WebhookResponse } from "../contract/abilities.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Inbox } from "../contract/channel-adapter.ts";
import { Activity, isForThisBot, readBody } from "./activity.ts";
import { isBelow } from "./api/calls.ts";
import { unreachableFrom } from "./api/reach-state.ts";
import type { References } from "./api/references.ts";
import type { SigningKeys } from "./api/signing-keys.ts";
import type { TeamsConfig } from "./config.ts";
import { answerConsent, type ConsentDeps } from "./files/answer-consent.ts";
import { conversationOf, installationIn, referenceOf, userMessageOf } from "./inbound.ts";

export interface IntakeDeps extends ConsentDeps {
  readonly config: TeamsConfig;
  readonly context: AdapterContext;
  readonly references: References;
  readonly keys: Pick<SigningKeys, "find">;
  readonly botId: string;
  /** Shows a person why their message was refused, throttled. */
  readonly showRefusal: (message: InboundMessage, refusal: AppError) => void;
}

/** Errors that a retry of the same activity would repeat. */
const PERMANENT: ReadonlySet<string> = new Set(["forbidden", "rate-limited", "too-large", "bad-input"]);

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
    if (!isForThisBot(json, { serviceUrl, tenantId: config.tenantId }))
      throw new AppError(
        "forbidden",
        "this activity is not for this bot: its tenant or service address differs from its token's",
      );
  } catch (error) {
    context.logger.debug({ reason: messageOf(error) }, "request refused");
    return error instanceof AppError && error.code === "forbidden" ? { status: 401 } : { status: 503 };
  }
  const activity = Activity.safeParse(json);
  if (!activity.success) return { status: 400, body: "not an activity: it needs a type, an id and a conversation" };
  if (activity.data.type === "invoke") return answerConsent(activity.data, deps);
  try {
    await unlessUnwritable(context.writes, () => acceptActivity(activity.data, inbox, deps));
    return { status: 200 };
  } catch (error) {
    // Not stored, so Teams must retry.
    context.logger[error instanceof Unwritable ? "debug" : "warn"]({ error: messageOf(error) }, "activity not stored");
    return { status: 503 };
  }
};

const acceptActivity = async (activity: Activity, inbox: Inbox, deps: IntakeDeps): Promise<void> => {
  const { config, context, botId } = deps;
  await storeReferences(activity, deps);
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
    if (!(error instanceof AppError && PERMANENT.has(error.code))) throw error;
    if (message.kind !== "edit") deps.showRefusal(message, error);
  }
};

const storeReferences = async (activity: Activity, { context, references, botId }: IntakeDeps): Promise<void> => {
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
    references.storeRoom(room, referenceOf(activity)),
    isPerson &&
      references.storePerson(from.aadObjectId ?? "", {
        userId: from.id,
        serviceUrl,
        ...(kind === "private" && { privateRoom: room }),
      }),
  ]);
};

const notAMember = (): AppError =>
  new AppError("forbidden", "only members of this organisation may talk to the agent here");

const CLOCK_SKEW_S = 300;
const MAX_TOKEN = 8_192;

interface VerifierDeps {
  readonly config: Pick<TeamsConfig, "appId" | "issuer" | "serviceUrls">;
  readonly keys: Pick<SigningKeys, "find">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * The service address in the token of a genuine request. Rejects with "forbidden" for every other request, and with
 * "unavailable" without the keys. https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
 */
const verifyToken = async (authorization: string | undefined, deps: VerifierDeps): Promise<string> => {
  const { config, keys, clock } = deps;
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || token.length > MAX_TOKEN) throw refused("no token");
  const payload = await refuseIfBad(async () => {
    const { kid } = decodeProtectedHeader(token);
    const key = typeof kid === "string" ? await keys.find(kid) : undefined;
    if (key === undefined) throw refused("unknown key");
    const verified = await jwtVerify(token, key, {
      algorithms: ["RS256"],
      issuer: config.issuer,
      audience: config.appId,
      clockTolerance: CLOCK_SKEW_S,
      requiredClaims: ["exp"],
      currentDate: new Date(clock.now()),
    });
    return verified.payload;
  });
  const { serviceurl } = payload;
  if (typeof serviceurl !== "string" || !isBelow(serviceurl, config.serviceUrls)) throw refused("service address");
  return serviceurl;
};

const refuseIfBad = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refused(error instanceof errors.JOSEError ? error.code : "unreadable token");
  }
};

/** The reason goes to the log only, never to the sender. */
const refused = (reason: string): AppError => new AppError("forbidden", `not a request of Teams: ${reason}`);
