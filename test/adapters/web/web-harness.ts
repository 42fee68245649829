import { randomUUID } from "node:crypto";
import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import type { HistoryItem } from "../../../adapters/web/protocol.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type { ChannelHarness, Post, Said } from "../../contract/channel-harness.ts";
import { MemoryStore } from "./memory-store.ts";
import { SocketHost } from "./socket-host.ts";
import { enter } from "./web-client.ts";
import { makeWebAdapter } from "./web-gateway.ts";

/** The web channel for the contract suite: people are clients with their own tokens. */
export const webHarness = async ({ channel }: { channel: string }): Promise<ChannelHarness> => {
  const store = new MemoryStore(systemClock);
  const host = await new SocketHost().open();
  const makeAdapter = () => makeWebAdapter(host.origin, { channel, store });
  const tokens = new Map<string, string>();
  let adapter = makeAdapter();
  const start = async (inbox: Inbox) => {
    await adapter.start(inbox);
    host.mount(adapter);
  };
  const join = async (person: string) => {
    const token = tokens.get(person);
    const entered = await enter(host, { resumeFrom: 0, ...(token !== undefined && { token }) });
    tokens.set(person, entered.welcome.token);
    return entered;
  };
  return {
    get adapter() {
      return adapter;
    },
    kinds: ["private"],
    hostile: { massMention: "@everyone", anchor: '↳ Re: "deep research"' },
    start,
    async restart(inbox) {
      adapter = makeAdapter();
      await start(inbox);
    },
    async userSays({ text, person = "ann", event = randomUUID() }: Said) {
      const entered = await join(person).catch(() => undefined);
      if (entered === undefined) return "refused";
      const { client } = entered;
      client.send({ type: "message", id: event, text });
      const settled = () => client.frames.some(({ type }) => type === "accepted" || type === "error");
      await client.until(() => settled() || client.closed !== undefined);
      client.socket.terminate();
      if (!settled()) return "none";
      return client.frames.some(({ type }) => type === "accepted") ? "acknowledged" : "refused";
    },
    async posted(atLeast) {
      const posts: Post[] = [];
      for (const person of tokens.keys()) {
        const { client, welcome } = await join(person);
        await client.until(() => client.logged().length === welcome.seq);
        client.socket.terminate();
        posts.push(...postsIn(client.logged() as HistoryItem[], welcome.conversation));
      }
      if (posts.length < atLeast) throw new Error(`${posts.length} posts are in the logs, ${atLeast} were expected`);
      return posts;
    },
    breakPlatform() {},
    recoverPlatform() {},
    expireStop() {},
    removePost() {},
    async close() {
      await host.close();
      await adapter.stop();
    },
  };
};

/** The visible state: replies, each with its last edit. */
const postsIn = (items: readonly HistoryItem[], where: string): Post[] => {
  const posts = new Map<string, Post>();
  for (const item of items) {
    if (item.type === "said") continue;
    const { id: messageId, markdown: text, anchor } = item;
    posts.set(messageId, { text, anchored: anchor !== undefined, pings: false, messageId, where });
  }
  return [...posts.values()];
};
