import { AppError } from "../../core/contract/app-error.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { UserMessage } from "../../core/contract/user-message.ts";
import { refuseIfUnwritable } from "../../core/contract/write-availability.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Inbox } from "../contract/channel-adapter.ts";
import type { SlackAccess } from "./config.ts";
import type { SlackIdentity } from "./identity.ts";
import { InOrder } from "./in-order.ts";
import type { Arrival, Inbound } from "./inbound.ts";
import { messageOfButton, messageOfCommand, messageOfEvent } from "./inbound.ts";
import type { AuthorTeam } from "./membership.ts";
import { profileTeamOf, refusalOf } from "./membership.ts";
import type { Profiles } from "./profiles.ts";
import type { Payload } from "./read-payload.ts";

/** What Slack is answered. refused: it is not asked to send it again, and the person is told why. */
export type Taken = { readonly answer: "stored" | "ignored" } | { readonly answer: "refused"; readonly why: string };

export interface IntakeParts {
  readonly context: AdapterContext;
  readonly inbox: Inbox;
  readonly identity: SlackIdentity;
  readonly access: SlackAccess | undefined;
  readonly profiles: Profiles;
  /** The app's own conversation with a person. */
  privateConversation(user: string): Promise<Conversation>;
  /** Shows a person, and nobody else, why they were refused. Never fails. */
  tell(message: UserMessage, why: string): void;
  /** Slack says that the app was removed. */
  removed(what: string): void;
}

/** Sending the same again would end the same. */
const FINAL: ReadonlySet<string> = new Set(["forbidden", "rate-limited", "too-large", "bad-input"]);

/** One way in for both receivers: resolves once the message is stored, or nothing is to be stored. */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #order = new InOrder();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Rejects if the message could not be stored now: Slack is to send it again. */
  async take(payload: Payload): Promise<Taken> {
    const inbound = this.#read(payload);
    if ("ignored" in inbound) {
      const { context, removed } = this.#parts;
      const { logger } = context;
      if (inbound.removed) removed(inbound.ignored);
      logger[inbound.strange ? "warn" : "debug"]({ ignored: inbound.ignored }, "ignored what Slack sent");
      return { answer: "ignored" };
    }
    const { message, author } = inbound;
    const refused = author === "unknown" ? undefined : refusalOf(author, this.#parts.access);
    if (refused !== undefined) return this.#refuse(payload, message, refused);
    // Before Slack is asked about the author: a refusal must not wait for that.
    refuseIfUnwritable(this.#parts.context.writes);
    const prepared = this.#prepare(payload, message, author);
    const ready = await this.#order.after(message.conversation.room, prepared);
    if (typeof ready === "string") return this.#refuse(payload, message, ready);
    try {
      await this.#parts.inbox.accept(ready);
      return { answer: "stored" };
    } catch (error) {
      if (error instanceof AppError && FINAL.has(error.code)) return this.#refuse(payload, ready, error.message);
      throw error;
    }
  }

  #read(payload: Payload): Inbound {
    const { context, identity, access } = this.#parts;
    const { channel, tenant, agent, clock, newId } = context;
    const arrival: Arrival = { channel, tenant, agent, identity, access, now: clock.now(), traceId: newId() };
    switch (payload.kind) {
      case "event":
        return messageOfEvent(payload.envelope, arrival);
      case "command":
        return messageOfCommand(payload.command, arrival);
      case "button":
        return messageOfButton(payload.press, arrival);
      case "other":
        return { ignored: payload.what, strange: payload.malformed };
      default:
        return { ignored: payload.kind };
    }
  }

  /** The message with what Slack knows of its author; or why they are refused, where only Slack could tell. */
  async #prepare(payload: Payload, message: UserMessage, author: AuthorTeam): Promise<UserMessage | string> {
    const { profiles, identity, access } = this.#parts;
    const profile = await profiles.of(message.account.id);
    const refused = author === "unknown" ? refusalOf(profileTeamOf(profile, identity), access) : undefined;
    if (refused !== undefined) return refused;
    const { teamIds: _, isStranger: __, ...known } = profile;
    const account = { ...message.account, ...known };
    // A slash command also works in a conversation between two people, which the app is not part of.
    const isElsewhere = payload.kind === "command" && message.conversation.kind === "private";
    if (!isElsewhere) return { ...message, account };
    return { ...message, account, conversation: await this.#parts.privateConversation(account.id) };
  }

  #refuse(payload: Payload, message: UserMessage, why: string): Taken {
    const { context, tell } = this.#parts;
    context.logger.info({ message: message.id, why }, "refused a message");
    // The answer to a slash command is shown to the person as it is.
    if (payload.kind !== "command") tell(message, why);
    return { answer: "refused", why };
  }
}
