import { createHmac, randomUUID } from "node:crypto";
import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { loadSigningKey, signVisitorToken } from "../../../adapters/web/identity/visitor-token.ts";
import type { ClientFrame, HistoryItem, Message } from "../../../adapters/web/protocol.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type { Answer, ChannelHarness, Forgery, HarnessOptions, Post, Said } from "../../contract/channel-harness.ts";
import { opensFrom } from "../../fakes/stored-contents.ts";
import { MemoryStore } from "./memory-store.ts";
import { SocketHost } from "./socket-host.ts";
import { enter, WebClient } from "./web-client.ts";
import { makeWebAdapter } from "./web-gateway.ts";

const IDENTITY_KEY = "the secret of the page that embeds the widget";

/** Errors after which a client sends the frame again. */
const RETRIED = new Set(["unavailable", "busy", "rate-limited"]);

/** The web channel for the contract suite: people are clients whom the host page identifies. */
export const webHarness = async ({ channel }: HarnessOptions): Promise<ChannelHarness> => {
  const store = new MemoryStore(systemClock);
  const host = await new SocketHost().open();
  const storedFiles = new Map<string, Uint8Array>();
  const openFile = opensFrom(storedFiles);
  const config = { identityKey: IDENTITY_KEY };
  const makeAdapter = () => makeWebAdapter(host.origin, { channel, store, openFile, config });
  const tokens = new Map<string, string>();
  let adapter = makeAdapter();
  let pressed = 0;
  const start = async (inbox: Inbox) => {
    await adapter.start(inbox);
    host.mount(adapter);
  };
  const join = async (person: string) => {
    const entered = await enter(host, { resumeFrom: 0, token: tokens.get(person) ?? hostToken(person) });
    tokens.set(person, entered.welcome.token);
    return entered;
  };
  const upload = async (token: string, { name, mediaType, bytes }: NonNullable<Said["files"]>[number]) => {
    const route = adapter.webhooks.find(({ method, path }) => method === "POST" && path === "files");
    const headers = { authorization: `Bearer ${token}`, origin: host.origin, "content-type": mediaType };
    const head = { headers, query: { name }, remoteAddress: "127.0.0.1", whenClosed: () => undefined };
    const stored = await route?.handle({ ...head, body: bytes });
    return JSON.parse(String(stored?.body)) as { id: string };
  };
  const download = async (token: string, { id, name }: { id: string; name: string }) => {
    const route = adapter.webhooks.find(({ method, path }) => method === "GET" && path === "files");
    const headers = { authorization: `Bearer ${token}`, origin: host.origin };
    const head = { headers, query: { id }, remoteAddress: "127.0.0.1", whenClosed: () => undefined };
    const answer = await route?.handle({ ...head, body: Buffer.alloc(0) });
    const chunks: Buffer[] = [];
    const body = (answer?.body ?? []) as AsyncIterable<Buffer>;
    for await (const chunk of body) chunks.push(Buffer.from(chunk));
    return { name, bytes: Buffer.concat(chunks) };
  };
  const sent = async (person: string, frameFor: (token: string) => Promise<ClientFrame>): Promise<Answer> => {
    const entered = await join(person).catch(() => undefined);
    if (entered === undefined) return "refused";
    const { client, welcome } = entered;
    client.send(await frameFor(welcome.token));
    return answerOf(client);
  };
  const entries = async (person: string) => {
    const { client, welcome } = await join(person);
    const { seq } = welcome;
    // The log of a visitor whom a host page identifies does not begin at 1.
    const isEmpty = () => seq === 0 || client.frames.some((frame) => frame.type === "gap" && frame.from > seq);
    await client.until(() => client.logged().at(-1)?.seq === seq || isEmpty());
    client.socket.terminate();
    return { items: client.logged() as HistoryItem[], where: welcome.conversation };
  };
  return {
    get adapter() {
      return adapter;
    },
    kinds: ["private"],
    platform: {
      mentions: false,
      threads: false,
      replies: true,
      unmentionedReplies: false,
      attachments: true,
      bots: false,
      edits: false,
      buttons: true,
      quotes: false,
      times: false,
      idsPerRoom: true,
    },
    retryAfterMs: 0,
    storedFiles,
    hostile: { massMention: "@everyone", anchor: '↳ Re: "deep research"' },
    start,
    async restart(inbox) {
      adapter = makeAdapter();
      await start(inbox);
    },
    userSays: ({ text, person = "ann", event = randomUUID(), replyTo, files = [] }) =>
      sent(person, async (token) => {
        const attachments: Message["attachments"] = [];
        for (const file of files) attachments.push({ id: (await upload(token, file)).id });
        return {
          type: "message",
          id: event,
          text,
          ...(replyTo && { replyTo }),
          ...(files.length > 0 && { attachments }),
        };
      }),
    async userEdits() {},
    async press({ messageId, label, person = "ann" }) {
      const { items } = await entries(person);
      const shown = items.findLast(({ id, type }) => id === messageId && type !== "said");
      const actions = shown && "actions" in shown ? (shown.actions as Action[]) : [];
      const action = actions.find((each) => each.label === label);
      if (action === undefined) throw new Error(`${messageId} has no button "${label}"`);
      const { name, value: args } = action;
      const id = `press-${++pressed}`;
      return sent(person, async () => ({ type: "command", id, name, replyTo: messageId, ...(args && { args }) }));
    },
    async forge({ text, event = randomUUID() }, forgery) {
      const origin = forgery === "unsigned" ? "https://stranger.example" : host.origin;
      const client = await new WebClient(host, { origin }).opened().catch(() => undefined);
      if (client === undefined) return "refused";
      const token = await forgedToken(forgery, hostToken("ann"), { store, channel });
      client.send({ type: "hello", ...(token !== undefined && { token }) });
      client.send({ type: "message", id: event, text });
      return answerOf(client);
    },
    async posted(atLeast) {
      const posts: Post[] = [];
      for (const person of tokens.keys()) {
        const { items, where } = await entries(person);
        const token = tokens.get(person) ?? "";
        for (const { files = [], ...post } of postsIn(items, where)) {
          const downloaded = await Promise.all(files.map((file) => download(token, file)));
          posts.push({ ...post, ...(files.length > 0 && { files: downloaded }) });
        }
      }
      if (posts.length < atLeast) throw new Error(`${posts.length} posts are in the logs, ${atLeast} were expected`);
      return posts;
    },
    textAt: async () => undefined,
    async signsDuring(act) {
      const joined = [];
      for (const person of tokens.keys()) joined.push(await join(person));
      await act();
      const signs = [];
      for (const { client, welcome } of joined) {
        client.send({ type: "history", before: 0, limit: 1 });
        // Frames stay in order, so every sign arrives before this answer.
        await client.until(() => client.frames.some(({ type }) => type === "history"));
        client.socket.terminate();
        for (const frame of client.frames) {
          if (frame.type === "typing") signs.push({ type: "typing", where: welcome.conversation } as const);
          if (frame.type === "delta")
            signs.push({ type: "draft", where: welcome.conversation, text: frame.text } as const);
        }
      }
      return signs;
    },
    breakPlatform() {},
    recoverPlatform() {},
    expireStop() {},
    moveRoom: async () => "none",
    removePost() {},
    async close() {
      await host.close();
      await adapter.stop();
    },
  };
};

interface Action {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
}

const answerOf = async (client: WebClient): Promise<Answer> => {
  const answers = () => client.frames.filter(({ type }) => type === "accepted" || type === "error");
  await client.until(() => answers().length > 0 || client.closed !== undefined);
  client.socket.terminate();
  const [answer] = answers();
  if (answer === undefined) return "none";
  if (answer.type === "accepted") return "acknowledged";
  return answer.type === "error" && RETRIED.has(answer.code) ? "refused" : "denied";
};

type ShownPost = Omit<Post, "files"> & { readonly files: readonly { readonly id: string; readonly name: string }[] };

/** The visible state: replies, each with its last edit. */
const postsIn = (items: readonly HistoryItem[], where: string): ShownPost[] => {
  const posts = new Map<string, ShownPost>();
  for (const item of items) {
    if (item.type === "said") continue;
    const { id: messageId, markdown: text, anchor, actions = [], files = [] } = item;
    const buttons = actions.map(({ label }) => label);
    posts.set(messageId, { text, anchored: anchor !== undefined, pings: false, messageId, where, buttons, files });
  }
  return [...posts.values()];
};

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The token by which the host page identifies a visitor. */
const hostToken = (person: string, key = IDENTITY_KEY): string => {
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const signed = `${encoded({ alg: "HS256" })}.${encoded({ sub: person, name: person, exp })}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
};

const forgedToken = async (
  forgery: Forgery,
  genuine: string,
  { store, channel }: { store: MemoryStore; channel: string },
): Promise<string | undefined> => {
  const key = await loadSigningKey(store, channel, undefined);
  const claims = { visitor: "ann", channel, expiresAt: Date.now() + 60_000 };
  const [header = "", , mac = ""] = genuine.split(".");
  switch (forgery) {
    case "wrong-key":
      return signVisitorToken({ ...key, key: Buffer.from(randomUUID()) }, claims);
    case "altered":
      return [header, encoded({ sub: "bob", exp: Math.floor(Date.now() / 1_000) + 3_600 }), mac].join(".");
    case "stale":
      return signVisitorToken(key, { ...claims, expiresAt: Date.now() - 60_000 });
    case "misdirected":
      return signVisitorToken(key, { ...claims, channel: "elsewhere" });
    default:
      return undefined;
  }
};
