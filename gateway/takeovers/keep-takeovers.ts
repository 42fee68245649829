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

const CHECK_EVERY_MS = 5_000;

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
    this.#timer = this.#deps.clock.after(CHECK_EVERY_MS, () => {
      this.#work = this.check().finally(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#work;
  }

  async check(): Promise<void> {
    const { store, logger } = this.#deps;
    try {
      for await (const { value } of store.list(allTakeovers())) await this.#settle(value);
    } catch (error) {
      logger.warn({ error: messageOf(error) }, "could not check takeovers, retrying");
    }
  }

  async #settle(takeover: Takeover): Promise<void> {
    const { store, clock } = this.#deps;
    const now = clock.now();
    if (isActive(takeover, now)) {
      if (!takeover.isAnnounced) await announceTakeover(this.#deps, takeover);
      return;
    }
    // The end is stored first: the agent answers again before the person reads that it does.
    await endTakeover(store, takeover, now);
    const { endedAt = takeover.endsAt, agent, operator } = takeover;
    await notify(
      this.#deps,
      takeover,
      "ended",
      (await textsOf(this.#deps, takeover)).takeovers.ended(escaped(operator.name), agent),
      endedAt,
    );
    await forgetTakeover(store, takeover);
  }
}
