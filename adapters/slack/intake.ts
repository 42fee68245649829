import { AppError } from "../../core/contract/app-error.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { FromPerson, PersonMessage } from "../../core/contract/messages/user-message.ts";
import { refuseIfUnwritable } from "../../core/contract/ports/backbone.ts";
import { textsFor } from "../../core/contract/texts/texts.ts";
import { errorText, ToldError } from "../../core/contract/texts/told-error.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Inbox } from "../contract/channel-adapter.ts";
import { KeyedQueue } from "../contract/keyed-queue.ts";
import { type AuthorTeam, type Profiles, profileTeamOf, refusalOf } from "./author.ts";
import type { SlackAccess } from "./config.ts";
import { type Arrival, type Inbound, messageOfButton, messageOfCommand, messageOfEvent } from "./inbound.ts";
import type { Payload } from "./payload.ts";
import type { ThreadRoots } from "./thread-roots.ts";
import type { SlackIdentity } from "./web-api.ts";

/** The outcome for Slack. refused: a retry would change nothing, and the person sees the reason. */
export type Taken = { readonly answer: "stored" | "ignored" } | { readonly answer: "refused"; readonly why: string };

export interface IntakeDeps {
  readonly context: AdapterContext;
  readonly inbox: Inbox;
  readonly identity: SlackIdentity;
  readonly access: SlackAccess | undefined;
  readonly profiles: Profiles;
  readonly roots: ThreadRoots;
  /** The app's own direct message conversation with a person. */
  privateConversation(user: string): Promise<Conversation>;
  /** Shows the author of a message, and only them, why it was refused. Never fails. */
  showRefusal(message: FromPerson, why: string): void;
  /** Called when Slack reports that the app was removed. */
  onRemoved(reason: string): void;
}

/** Errors that a retry of the same event would repeat. */
const PERMANENT: ReadonlySet<string> = new Set(["forbidden", "rate-limited", "too-large", "bad-input"]);

/** Intake of both receivers: resolves once the message is stored, ignored or refused. */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #order = new KeyedQueue();

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** Rejects if the message could not be stored, so that Slack retries the event. */
  async take(payload: Payload): Promise<Taken> {
    const inbound = this.#read(payload);
    if ("ignored" in inbound) {
      const { context, onRemoved } = this.#deps;
      const { logger } = context;
      if (inbound.removed) onRemoved(inbound.ignored);
      logger[inbound.unexpected ? "warn" : "debug"]({ ignored: inbound.ignored }, "Slack event ignored");
      return { answer: "ignored" };
    }
    const { message, author } = inbound;
    const refused = author === "unknown" ? undefined : refusalOf(author, this.#deps.access);
    if (refused !== undefined) return this.#refuse(payload, message, refused);
    // Checked before the profile request, so that the refusal does not wait for Slack.
    refuseIfUnwritable(this.#deps.context.writes);
    const prepared = this.#prepare(payload, message, author);
    const ready = await this.#order.after(message.conversation.room, prepared);
    if (ready instanceof AppError) return this.#refuse(payload, message, ready);
    try {
      await this.#deps.inbox.accept(ready);
      return { answer: "stored" };
    } catch (error) {
      if (error instanceof AppError && PERMANENT.has(error.code)) return this.#refuse(payload, ready, error);
      throw error;
    }
  }

  #read(payload: Payload): Inbound {
    const { context, identity, access } = this.#deps;
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
        return { ignored: payload.what, unexpected: payload.malformed };
      default:
        return { ignored: payload.kind };
    }
  }

  /** Adds the author's profile to the message. An error is a refusal that only the profile could decide. */
  async #prepare(payload: Payload, message: FromPerson, author: AuthorTeam): Promise<FromPerson | AppError> {
    const { profiles, identity, access } = this.#deps;
    const profile = await profiles.of(message.account.id);
    const refused = author === "unknown" ? refusalOf(profileTeamOf(profile, identity), access) : undefined;
    if (refused !== undefined) return new ToldError(refused.code, refused.say, { reader: textsFor(profile.locale) });
    const { teamIds: _, isStranger: __, ...known } = profile;
    const account = { ...message.account, ...known };
    // A slash command also works in a conversation between two people, in which the app is not a member.
    const mayBeForeignDm = payload.kind === "command" && message.conversation.kind === "private";
    if (!mayBeForeignDm) return { ...message, ...(await this.#quoted(message)), account };
    return { ...message, account, conversation: await this.#deps.privateConversation(account.id) };
  }

  /** A message in a thread answers its first message, unless it has forwarded another one. */
  async #quoted(message: FromPerson): Promise<Pick<PersonMessage, "quoted">> {
    if (message.kind !== "message" || message.quoted !== undefined || message.replyTo === undefined) return {};
    const quoted = await this.#deps.roots.of(message.conversation, message.replyTo);
    return quoted === undefined ? {} : { quoted };
  }

  #refuse(payload: Payload, message: FromPerson, refusal: AppError): Taken {
    const { context, showRefusal } = this.#deps;
    context.logger.info({ message: message.id, reason: refusal.message }, "message refused");
    const why = errorText(refusal, textsFor(message.account.locale));
    // The response to a slash command shows the reason itself.
    if (payload.kind !== "command") showRefusal(message, why);
    return { answer: "refused", why };
  }
}
