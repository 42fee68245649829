import { messageOf } from "../../../core/contract/app-error.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import type { Webhook } from "../../contract/abilities.ts";
import { Update } from "../payload.ts";
import { isFromTelegram } from "../verify.ts";

export const WEBHOOK_PATH = "updates";

/** Far more than any update. */
const MAX_BODY_BYTES = 1_000_000;

export interface WebhookDeps {
  readonly secret: string;
  readonly logger: Logger;
  /** Undefined while the channel is not started; Telegram then retries. */
  take(): ((update: Update) => Promise<void>) | undefined;
}

/** The webhook for Telegram's updates: stores first, then acknowledges. */
export const updatesWebhook = ({ secret, logger, take }: WebhookDeps): Webhook => ({
  method: "POST",
  path: WEBHOOK_PATH,
  maxBodyBytes: MAX_BODY_BYTES,
  // The secret is in the head, so a stranger's body is never read.
  refuse: async ({ headers }) => (isFromTelegram(headers, secret) ? undefined : { status: 401 }),
  async handle({ headers, body }) {
    if (!isFromTelegram(headers, secret)) {
      logger.warn({}, "request refused: not from Telegram");
      return { status: 401 };
    }
    const update = updateIn(body);
    if (update === undefined) {
      logger.warn({}, "malformed Telegram update ignored");
      return { status: 200 };
    }
    const taken = take();
    if (taken === undefined) return { status: 503 };
    try {
      await taken(update);
      return { status: 200 };
    } catch (error) {
      logger.warn({ error: messageOf(error) }, "could not store the Telegram update");
      return { status: 503 };
    }
  },
});

const updateIn = (body: Buffer): Update | undefined => {
  try {
    return Update.safeParse(JSON.parse(body.toString("utf8"))).data;
  } catch {
    return undefined;
  }
};
