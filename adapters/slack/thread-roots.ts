import type { webApi } from "@slack/bolt";
import { z } from "zod";
import { BoundedCache } from "../../core/contract/bounded-cache.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { QuotedMessage } from "../../core/contract/messages/user-message.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import { type Profiles, pauseAfter, withinTime } from "./author.ts";
import { mentions, plainText, quoteOf } from "./inbound.ts";
import type { SlackIdentity } from "./web-api.ts";

const Root = z.looseObject({
  ts: z.string(),
  subtype: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  username: z.string().optional(),
  text: z.string().optional(),
  blocks: z.array(z.unknown()).optional(),
});
type Root = z.infer<typeof Root>;

const CACHE_MS = 10 * 60_000;
const MISSING_CACHE_MS = 60_000;
const MAX_CACHED = 1_000;

interface Cached {
  readonly root: Promise<Root | undefined>;
  until: number;
}

/** The first messages of threads, cached. A request is bounded in time and never fails a message. */
export class ThreadRoots {
  readonly #client: webApi.WebClient;
  readonly #clock: Clock;
  readonly #profiles: Profiles;
  readonly #identity: SlackIdentity;
  readonly #timeoutMs: number;
  readonly #cache = new BoundedCache<string, Cached>(MAX_CACHED);
  #pausedUntil = 0;

  constructor(
    { client, clock, profiles, identity }: RootDeps,
    /** For each request. */
    timeoutMs: number,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#profiles = profiles;
    this.#identity = identity;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The message on which a thread hangs (M1). Undefined if it cannot be read, and if it addressed the app: then the
   * session of the thread begins with it.
   */
  async of({ room, kind }: Pick<Conversation, "room" | "kind">, ts: string): Promise<QuotedMessage | undefined> {
    const root = await this.#cached(room, ts);
    if (root === undefined || root.subtype === "tombstone") return undefined;
    const { botUserId, botId } = this.#identity;
    const isOwn = root.user === botUserId || (botId !== undefined && root.bot_id === botId);
    const said = root.text ?? "";
    if (!isOwn && kind === "shared" && mentions(said, botUserId)) return undefined;
    const text = (isOwn && sectionsIn(root)) || plainText(said, botUserId);
    if (isOwn) return quoteOf(text, { ts, isOwn });
    const name = root.username ?? (root.user === undefined ? undefined : (await this.#profiles.of(root.user)).name);
    return quoteOf(text, { author: name, ts });
  }

  #cached(room: string, ts: string): Promise<Root | undefined> {
    const now = this.#clock.monotonic();
    const key = `${room} ${ts}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined && cached.until > now) return cached.root;
    if (now < this.#pausedUntil) return Promise.resolve(undefined);
    const root = withinTime(this.#clock, this.#timeoutMs, this.#fetch(room, ts), undefined);
    const entry: Cached = { root, until: now + CACHE_MS };
    this.#cache.set(key, entry);
    void root.then((found) => {
      if (found === undefined) entry.until = Math.min(entry.until, this.#clock.monotonic() + MISSING_CACHE_MS);
    });
    return root;
  }

  async #fetch(room: string, ts: string): Promise<Root | undefined> {
    try {
      const { messages = [] } = await this.#client.conversations.replies({ channel: room, ts, limit: 1 });
      const root = Root.safeParse(messages[0]).data;
      return root?.ts === ts ? root : undefined;
    } catch (error) {
      const pauseMs = pauseAfter(error);
      if (pauseMs > 0) this.#pausedUntil = this.#clock.monotonic() + pauseMs;
      return undefined;
    }
  }
}

interface RootDeps {
  readonly client: webApi.WebClient;
  readonly clock: Clock;
  readonly profiles: Profiles;
  readonly identity: SlackIdentity;
}

const Section = z.looseObject({ type: z.literal("section"), text: z.looseObject({ text: z.string() }) });

/** The text of the app's own post: its `text` has only the beginning, and the anchor. */
const sectionsIn = ({ blocks = [] }: Root): string =>
  blocks
    .flatMap((block) => Section.safeParse(block).data?.text.text ?? [])
    .map((text) => plainText(text, ""))
    .join("\n\n");
