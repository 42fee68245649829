import { verifySlackRequest } from "@slack/bolt";
import { messageOf } from "../../core/contract/app-error.ts";
import { Unwritable } from "../../core/contract/ports/backbone.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { english } from "../../core/contract/texts/texts.ts";
import type { Webhook, WebhookResponse } from "../contract/abilities.ts";
import type { Intake } from "./intake.ts";
import { readBody } from "./payload.ts";

export interface HttpReceiverDeps {
  readonly signingSecret: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Undefined while the channel is not started; Slack then retries. */
  intake(): Intake | undefined;
}

/** Far more than any event of Slack. */
const MAX_BODY_BYTES = 1_000_000;

/** The webhook for Slack's events, slash commands and buttons: stores first, then acknowledges. */
export const httpReceiver = ({ signingSecret, clock, logger, intake }: HttpReceiverDeps): Webhook => ({
  method: "POST",
  path: "events",
  maxBodyBytes: MAX_BODY_BYTES,
  async handle({ headers, body }) {
    const refusal = refusalOf(headers, body, signingSecret, clock.now());
    if (refusal !== undefined) {
      logger.warn({ reason: refusal }, "request refused: not signed by Slack");
      return { status: 401 };
    }
    const payload = readBody(body, headers["content-type"]);
    if (payload.kind === "challenge") return text(payload.challenge);
    if (payload.kind === "certificate-check") return { status: 200 };
    try {
      const taken = await intake()?.take(payload);
      if (taken === undefined) return { status: 503 };
      return taken.answer === "refused" && payload.kind === "command" ? ephemeral(taken.why) : { status: 200 };
    } catch (error) {
      logger[error instanceof Unwritable ? "debug" : "warn"](
        { error: messageOf(error) },
        "could not store the Slack event",
      );
      // Slack retries events, but never commands.
      return payload.kind === "command" ? ephemeral(TRY_AGAIN) : { status: 503 };
    }
  },
});

/** English: Slack does not report the locale with a command, and its profile may be out of reach. */
export const TRY_AGAIN = english.intake.tryAgain;

const text = (body: string): WebhookResponse => ({ status: 200, headers: { "content-type": "text/plain" }, body });

const ephemeral = (why: string): WebhookResponse => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ response_type: "ephemeral", text: why }),
});

type Headers = Readonly<Record<string, string | undefined>>;

/** Bolt rejects older requests but accepts timestamps from the future. */
const MAX_SECONDS_AHEAD = 300;

/** Why a request is not from Slack, or undefined if it is. The signature covers the raw body and its timestamp. */
export const refusalOf = (headers: Headers, body: Buffer, signingSecret: string, now: number): string | undefined => {
  const timestamp = headers["x-slack-request-timestamp"] ?? "";
  const signature = headers["x-slack-signature"];
  if (!/^\d{1,12}$/.test(timestamp) || signature === undefined) return "it is not signed";
  const seconds = Number(timestamp);
  if (seconds > now / 1_000 + MAX_SECONDS_AHEAD) return "its time is in the future";
  try {
    verifySlackRequest({
      signingSecret,
      body: body.toString("utf8"),
      headers: { "x-slack-signature": signature, "x-slack-request-timestamp": seconds },
      nowMilliseconds: now,
    });
    return undefined;
  } catch (error) {
    return /stale/.test(String(error)) ? "it is too old" : "its signature is wrong";
  }
};
