import { messageOf } from "../../../core/contract/app-error.ts";
import { DeliveryFailed, type DeliveryFailure, rootCause, wasNeverSent } from "../../contract/delivery-failed.ts";

/** The error of a call, as Telegram describes it. https://core.telegram.org/bots/api#making-requests */
export interface Refusal {
  readonly status: number;
  readonly description: string;
  readonly retryAfterS?: number | undefined;
  readonly migrateTo?: number | undefined;
}

/** Telegram has no error codes, only English texts. An unlisted one means that it rejected the message itself. */
const REASONS: readonly [text: RegExp, reason: DeliveryFailure][] = [
  [/chat not found|user not found|PEER_ID_INVALID/i, "target-gone"],
  [/message to (edit|be replied) not found|MESSAGE_ID_INVALID/i, "target-gone"],
  [/message thread not found|TOPIC_DELETED|group chat was deactivated/i, "target-gone"],
  [/not enough rights|have no rights|CHAT_WRITE_FORBIDDEN|TOPIC_CLOSED|message can't be edited/i, "forbidden"],
  [/CHAT_(SEND_\w+|ADMIN)_\w+|need administrator rights/i, "forbidden"],
];

export const failureOfRefusal = (refusal: Refusal): DeliveryFailed => {
  const { status, description, retryAfterS, migrateTo } = refusal;
  const said = `Telegram says ${description.slice(0, 200)}`;
  if (migrateTo !== undefined) return new DeliveryFailed("moved", said, { movedTo: String(migrateTo) });
  if (status === 429) return new DeliveryFailed("rate-limited", said, { retryAfterMs: (retryAfterS ?? 1) * 1_000 });
  if (status === 401 || status === 404) return new DeliveryFailed("unavailable", WRONG_TOKEN);
  if (status === 409) return new DeliveryFailed("unavailable", `${said} (another program uses this bot token)`);
  if (status === 403) return new DeliveryFailed("forbidden", said);
  if (status === 503) return new DeliveryFailed("unavailable", said);
  if (status < 400 || status >= 500) return new DeliveryFailed("unknown", said);
  return new DeliveryFailed(REASONS.find(([text]) => text.test(description))?.[1] ?? "rejected", said);
};

const WRONG_TOKEN = "Telegram refuses the bot token: check botToken, or get a new one from @BotFather with /token";

/** A call without a complete answer. The address of a call has the token in it, so the text leaves it out. */
export const failureOfConnection = (error: unknown, token: string): DeliveryFailed => {
  const why = messageOf(rootCause(error)).replaceAll(token, "[token]").slice(0, 200);
  return new DeliveryFailed(wasNeverSent(error) ? "unavailable" : "unknown", `Telegram could not be reached: ${why}`);
};

/** Telegram could not read the mark-up; it has certainly not posted the message. */
export const isEntityRefusal = (error: unknown): boolean =>
  error instanceof DeliveryFailed && error.reason === "rejected" && /can't parse entities/i.test(error.message);

/** The message already has this content. */
export const isUnmodified = (error: unknown): boolean =>
  error instanceof DeliveryFailed && /message is not modified/i.test(error.message);
