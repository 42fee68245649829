import { ManualClock, MemoryStore, testContext, WebhookHost } from "mooring/testing";
import { PaperAdapter } from "../adapter.js";
import { PaperConfig } from "../config.js";
import { PaperPlatform, RETRY_AFTER_SECONDS } from "./paper-platform.js";

/** @import { Inbox } from "mooring/adapter" */
/** @typedef {{ text: string, person?: string, kind?: string, event?: string, mention?: boolean, thread?: string, replyTo?: string, at?: string }} Said */

const YEAR_MS = 365 * 24 * 3_600_000;
const PEOPLE = /** @type {Record<string, { id: string, name: string, bot: boolean }>} */ ({
  ann: { id: "u-ann", name: "Ann", bot: false },
  bob: { id: "u-bob", name: "Bob", bot: false },
  "this bot": { id: "u-paperbot", name: "paperbot", bot: true },
  "another bot": { id: "u-other", name: "other", bot: true },
});

/** Starts the platform and the adapter for one case of the contract suite. */
export const paperHarness = async (
  /** @type {{ channel: string, listens?: "mentions" | "all" }} */ { channel, listens = "mentions" },
) => {
  const platform = await new PaperPlatform().open();
  const host = await new WebhookHost().open();
  const clock = new ManualClock();
  const store = new MemoryStore();
  let events = 0;
  const makeAdapter = () => {
    const { token, signingSecret, url: apiUrl } = platform;
    const access = { mentionOnly: listens === "mentions" };
    const config = PaperConfig.parse({ adapter: "paper", apiUrl, token, signingSecret, access });
    const publicUrl = new URL(host.urlOf(channel, "events")).origin;
    return new PaperAdapter(config, testContext({ channel, publicUrl, clock, store }));
  };
  let adapter = makeAdapter();
  const start = async (/** @type {Inbox} */ inbox) => {
    host.mount(adapter);
    await adapter.start(inbox);
  };
  const eventOf = (/** @type {Said} */ said) => {
    const { person = "ann", kind = "private", event = `e${++events}`, mention = true, thread, replyTo } = said;
    const isShared = kind === "shared";
    return {
      type: "message",
      id: event,
      note: `in-${event}`,
      room: isShared ? "lobby" : `dm-${person}`,
      ...(isShared && thread !== undefined && { thread }),
      direct: !isShared,
      author: PEOPLE[person],
      text: isShared && mention ? `@paperbot ${said.text}` : said.text,
      ...(replyTo !== undefined && { replyTo }),
      at: said.at ?? new Date(clock.now()).toISOString(),
    };
  };
  /** @returns {Promise<import("mooring/testing").Answer>} */
  const send = async (/** @type {object} */ event, /** @type {object} */ forgery = {}) => {
    const { status, notice } = await platform.send(event, { now: clock.now(), ...forgery });
    if (status === 0) return "none";
    if (status !== 200) return "refused";
    return notice === undefined ? "acknowledged" : "denied";
  };
  const FORGERIES = /** @type {Record<string, object>} */ ({
    unsigned: { unsigned: true },
    "wrong-key": { key: "another-secret" },
    altered: { altered: true },
    stale: { now: clock.now() - YEAR_MS },
  });
  return {
    get adapter() {
      return adapter;
    },
    kinds: /** @type {const} */ (["private", "shared"]),
    platform: {
      ...{ mentions: true, threads: true, replies: true, unmentionedReplies: true, attachments: false, bots: true },
      ...{ edits: true, buttons: true, quotes: false, times: true, idsPerRoom: false },
    },
    hostile: { massMention: "@all", anchor: '↳ Re: "deep research"' },
    retryAfterMs: RETRY_AFTER_SECONDS * 1_000,
    start,
    async restart(/** @type {Inbox} */ inbox) {
      adapter = makeAdapter();
      await start(inbox);
    },
    userSays: (/** @type {Said} */ said) => send(eventOf(said)),
    async userEdits(/** @type {Said} */ edit) {
      await send({ ...eventOf(edit), type: "edit", id: `edit-${++events}` });
    },
    press(/** @type {{ messageId: string, label: string, person?: string }} */ { messageId, label, person = "ann" }) {
      const note = platform.notes.find(({ id }) => id === messageId);
      const button = note?.buttons.find((each) => each.label === label);
      const isShared = note?.room === "lobby";
      const event = eventOf({ text: "", person, kind: isShared ? "shared" : "private", mention: false });
      return send({ ...event, type: "press", note: messageId, room: note?.room, thread: note?.thread, button });
    },
    async forge(/** @type {Said} */ said, /** @type {string} */ forgery) {
      const how = FORGERIES[forgery];
      // Each channel has its own signing secret, so an event for another channel is one with a wrong key.
      return how === undefined ? "impossible" : send(eventOf(said), how);
    },
    async posted(/** @type {number} */ atLeast) {
      await platform.until(() => platform.notes.length >= atLeast);
      return platform.notes.map(({ id, room, thread, text, footer, buttons }) => ({
        text,
        anchored: footer !== undefined,
        pings: /@\w/.test(text),
        messageId: id,
        where: JSON.stringify([room, thread]),
        buttons: buttons.map(({ label }) => label),
      }));
    },
    async textAt(/** @type {string} */ link) {
      const answer = await fetch(link);
      return answer.ok ? (await answer.json()).text : undefined;
    },
    async signsDuring(/** @type {() => Promise<void>} */ act) {
      const before = platform.typing.length;
      await act();
      return platform.typing
        .slice(before)
        .map(({ room, thread }) => ({ type: /** @type {const} */ ("typing"), where: JSON.stringify([room, thread]) }));
    },
    breakPlatform(/** @type {import("./paper-platform.js").Fault} */ fault) {
      platform.fault = fault;
    },
    recoverPlatform: () => platform.recover(),
    expireStop: () => clock.advance(5_000),
    moveRoom: () => Promise.reject(new Error("rooms of this platform keep their ids")),
    removePost(/** @type {string} */ messageId) {
      platform.notes = platform.notes.filter(({ id }) => id !== messageId);
    },
    async close() {
      const stopped = adapter.stop();
      clock.advance(5_000);
      await stopped;
      await host.close();
      await platform.close();
    },
  };
};
