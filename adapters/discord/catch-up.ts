import { Routes } from "discord.js";
import { z } from "zod";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import { pause, pauseAfter } from "./pause.ts";
import { channelIdOf } from "./permalink.ts";
import { DiscordMessage } from "./platform-events.ts";
import type { RestCalls } from "./rest-calls.ts";
import { isAfter, laterOf, snowflakeAt } from "./snowflake.ts";
import type { DiscordTiming } from "./timing.ts";

/** An answer to a question of the day before yesterday helps nobody; core recognises repeats for seven days. */
const MOST_AGE_MS = 24 * 3_600_000;
const PAGE = 100;
const MOST_PAGES = 20;

export interface CatchUpParts {
  readonly rest: RestCalls;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing: DiscordTiming;
  readonly stopping: AbortSignal;
  take(message: DiscordMessage, conversation: Conversation): Promise<unknown>;
}

/** Fetches what was said in a conversation while no connection was there to hear it, oldest first. */
export const catchUp = async (
  parts: CatchUpParts,
  conversation: Conversation,
  readUpTo: string,
): Promise<"done" | "gone"> => {
  const { clock, logger, stopping, take } = parts;
  let after = laterOf(readUpTo, snowflakeAt(clock.now() - MOST_AGE_MS));
  for (let page = 0; page < MOST_PAGES; page++) {
    const found = await pageAfter(parts, channelIdOf(conversation), after);
    if (found === "gone") return "gone";
    for (const message of found.messages) {
      if (stopping.aborted) return "done";
      await take(message, conversation);
      after = laterOf(message.id, after);
    }
    if (found.isLast) return "done";
  }
  logger.warn({ conversation }, `more than ${MOST_PAGES * PAGE} messages were missed here; the rest is left out`);
  return "done";
};

/** Asks until there is an answer: what is said meanwhile waits behind it, so that the order is kept. */
const pageAfter = async (
  parts: CatchUpParts,
  channelId: string,
  after: string,
): Promise<{ messages: DiscordMessage[]; isLast: boolean } | "gone"> => {
  const { rest, clock, logger, timing, stopping } = parts;
  for (let failures = 1; !stopping.aborted; failures++) {
    try {
      const query = { after, limit: String(PAGE) };
      const answer = await rest.read(z.array(z.unknown()), "get", Routes.channelMessages(channelId), { query });
      const messages = answer.flatMap((each) => DiscordMessage.safeParse(each).data ?? []);
      // Newest first, as Discord sends them.
      messages.sort((a, b) => (isAfter(a.id, b.id) ? 1 : -1));
      return { messages, isLast: answer.length < PAGE || messages.length === 0 };
    } catch (error) {
      const failure = error as DeliveryFailed;
      if (error instanceof DeliveryFailed && ["target-gone", "forbidden", "rejected"].includes(failure.reason)) {
        logger.info({ channelId, reason: failure.message }, "a conversation cannot be read any more");
        return "gone";
      }
      const pauseMs = Math.max(failure.retryAfterMs ?? 0, pauseAfter(failures, timing));
      logger.warn({ channelId, error: messageOf(error), retryInMs: pauseMs }, "missed messages not fetched yet");
      await pause(clock, pauseMs, stopping);
    }
  }
  return { messages: [], isLast: true };
};
