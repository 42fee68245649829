import { messageOf } from "../../core/contract/app-error.ts";
import { conversationKey } from "../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import type { Bus } from "../../core/contract/ports/bus.ts";
import { type Clock, isoTime, type Timer } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { type Texts, textsFor } from "../../core/contract/texts/texts.ts";
import { publishReply, viewerTimeIn } from "../../core/delivery/index.ts";
import {
  allTakeovers,
  endTakeover,
  forgetTakeover,
  isActive,
  noteAnnounced,
  type Takeover,
} from "../../core/sessions/takeover/index.ts";

interface TakeoverDeps {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
}

/** Publishes a notice in the conversation of a takeover. The id is fixed, so that a retry sends it once. */
const notify = ({ bus }: TakeoverDeps, takeover: Takeover, id: string, markdown: string, at: string): Promise<void> =>
  publishReply(bus, {
    id: `takeover/${takeover.id}/${id}`,
    tenant: takeover.tenant,
    agent: takeover.agent,
    kind: "notice",
    sessionId: null,
    origin: null,
    audience: takeover.audience,
    markdown,
    mayRepeat: true,
    createdAt: at,
    traceId: takeover.id,
  });

/** The language of the person, as far as their private conversation shows it. */
const textsOf = async ({ store }: TakeoverDeps, { tenant, audience }: Takeover): Promise<Texts> =>
  textsFor((await viewerTimeIn(store, { tenant, audience }, audience.conversation)).locale);

const minutesOf = ({ startedAt, endsAt }: Takeover): number =>
  Math.max(1, Math.round((Date.parse(endsAt) - Date.parse(startedAt)) / 60_000));

/** Tells the person that an operator reads and answers here. */
export const announceTakeover = async (deps: TakeoverDeps, takeover: Takeover): Promise<void> => {
  const { operator, agent } = takeover;
  const minutes = minutesOf(takeover);
  await notify(
    deps,
    takeover,
    "started",
    (await textsOf(deps, takeover)).takeovers.started(escaped(operator.name), agent, minutes),
    takeover.startedAt,
  );
  await noteAnnounced(deps.store, takeover);
};

/**
 * Sends an operator's answer under their name, and adds it to the agent's history, in the order of the conversation. The
 * client chooses the id, so that a retry after a lost response sends it once.
 */
export const answerAsOperator = async (
  deps: TakeoverDeps,
  takeover: Takeover,
  answer: { readonly id: string; readonly text: string },
): Promise<string> => {
  const { tenant, agent, conversation, audience, origin, operator } = takeover;
  const at = isoTime(deps.clock.now());
  const markdown = `**${escaped(operator.name)}:** ${answer.text}`;
  const replyId = `takeover/${takeover.id}/answer-${answer.id}`;
  await deps.bus.publish(
    subjectsOf(tenant).userMessage(agent),
    {
      kind: "shown",
      id: `shown/${replyId}`,
      tenant,
      agent,
      conversation,
      account: { id: audience.accountId ?? "nobody", name: "" },
      text: "",
      attachments: [],
      shown: { replyId, markdown, origin, at },
      sentAt: at,
      traceId: takeover.id,
    },
    { id: `shown/${replyId}`, key: conversationKey(conversation) },
  );
  await notify(deps, takeover, `answer-${answer.id}`, markdown, at);
  return replyId;
};

/** The name of an operator is text, not markup. */
const escaped = (name: string): string => name.replace(/[\\`*_[\]<>~|#]/g, "\\$&");

/** Ends a takeover: the agent answers again, then the person reads that it does. */
export const concludeTakeover = async (deps: TakeoverDeps, takeover: Takeover): Promise<void> => {
  const { store, clock } = deps;
  const { endsAt, agent, operator } = takeover;
  const endedAt = takeover.endedAt ?? isoTime(Math.min(clock.now(), Date.parse(endsAt)));
  // The next operator's notice may be there already: one about the end would contradict it.
  if (!(await endTakeover(store, takeover, Date.parse(endedAt)))) return;
  const { takeovers } = await textsOf(deps, takeover);
  await notify(deps, takeover, "ended", takeovers.ended(escaped(operator.name), agent), endedAt);
  await forgetTakeover(store, takeover);
};

/** No takeover is shorter, so a check sees each one before it ends. */
const CHECK_EVERY_MS = 60_000;
/** The first check after a start finds what a crashed process left. */
const FIRST_CHECK_MS = 5_000;

/** Ends takeovers whose time is over, and publishes notices that a crashed process could not. Every gateway runs one. */
export class TakeoverKeeper {
  readonly #deps: TakeoverDeps & { readonly logger: Logger };
  #timer: Timer | undefined;
  #work: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: TakeoverDeps & { readonly logger: Logger }) {
    this.#deps = deps;
  }

  start(): void {
    this.#checkAfter(FIRST_CHECK_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#work;
  }

  #checkAfter(delayMs: number): void {
    if (this.#isStopped) return;
    this.#timer = this.#deps.clock.after(delayMs, () => {
      this.#work = this.check().then((nextMs) => this.#checkAfter(nextMs));
    });
  }

  /** Returns the time until the next check is due. */
  async check(): Promise<number> {
    const { store, clock, logger } = this.#deps;
    let nextMs = CHECK_EVERY_MS;
    try {
      for await (const { value } of store.list(allTakeovers())) {
        await this.#settle(value);
        if (isActive(value, clock.now())) nextMs = Math.min(nextMs, Date.parse(value.endsAt) - clock.now());
      }
      return nextMs;
    } catch (error) {
      logger.warn({ error: messageOf(error) }, "could not check takeovers, retrying");
      return FIRST_CHECK_MS;
    }
  }

  async #settle(takeover: Takeover): Promise<void> {
    if (!isActive(takeover, this.#deps.clock.now())) await concludeTakeover(this.#deps, takeover);
    else if (!takeover.isAnnounced) await announceTakeover(this.#deps, takeover);
  }
}
