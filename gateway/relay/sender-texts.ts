import { BoundedCache } from "../../core/contract/bounded-cache.ts";
import type { InboundMessage } from "../../core/contract/messages/user-message.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { type Texts, textsFor } from "../../core/contract/texts/texts.ts";
import { ToldError } from "../../core/contract/texts/told-error.ts";
import { withinDeadline } from "../../core/lib/index.ts";
import { findPerson, resolvedAsker } from "../../core/people/index.ts";

interface SenderTextsDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** The locale of a channel, for senders whose own is unknown. */
  readonly localeOn?: ((channel: string) => string | undefined) | undefined;
}

const TTL_MS = 60_000;
const MAX_CACHED = 10_000;
/** A refusal does not wait longer for a store that does not answer. */
const READ_WITHIN_MS = 1_000;

type Sender = Pick<InboundMessage, "tenant" | "conversation" | "account">;

/** The language in which a sender reads refusals. Cached, so that a flood of refused messages reads the store once. */
export class SenderTexts {
  readonly #deps: SenderTextsDeps;
  readonly #known = new BoundedCache<string, { readonly locale: string | undefined; readonly until: number }>(
    MAX_CACHED,
  );

  constructor(deps: SenderTextsDeps) {
    this.#deps = deps;
  }

  /** The error for its reader. Errors without a text for people stay as they are. Never rejects. */
  async told(error: unknown, sender: Sender): Promise<unknown> {
    if (!(error instanceof ToldError) || error.reader !== undefined) return error;
    return new ToldError(error.code, error.say, { cause: error, reader: await this.#textsOf(sender) });
  }

  async #textsOf(sender: Sender): Promise<Texts> {
    const { clock, localeOn } = this.#deps;
    const { tenant, account } = sender;
    const { channel, kind } = sender.conversation;
    // The same account id is another person on another channel.
    const key = JSON.stringify([tenant, channel, account.id, kind, account.locale]);
    const known = this.#known.get(key);
    if (known !== undefined && known.until > clock.monotonic()) return textsFor(known.locale);
    const found = await this.#localeOf(sender).catch(() => sender.account.locale);
    const locale = found ?? localeOn?.(channel);
    this.#known.set(key, { locale, until: clock.monotonic() + TTL_MS });
    return textsFor(locale);
  }

  #localeOf(sender: Sender): Promise<string | undefined> {
    const { store, clock } = this.#deps;
    const { tenant, conversation, account } = sender;
    const reading = findPerson(store, { tenant, channel: conversation.channel, accountId: account.id });
    const locale = reading.then(({ person }) => resolvedAsker(person, sender).locale);
    return withinDeadline(clock, READ_WITHIN_MS, locale, () => account.locale);
  }
}
