import { describe, expect, it } from "vitest";
import type { PermalinkAdapter } from "../../../../adapters/contract/abilities.ts";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import type { DeliveryDefaults } from "../../../../core/contract/messages/delivery-policy.ts";
import type { ReplyOrigin } from "../../../../core/contract/messages/work-context.ts";
import { silentLogger as logger } from "../../../../core/contract/ports/logger.ts";
import { personKey, unlinkedPersonId } from "../../../../core/people/person-record.ts";
import { noteSurface } from "../../../../core/people/resolve-asker.ts";
import { firstSessionId, startSession } from "../../../../core/sessions/current-session.ts";
import { anchorIn, findPermalink } from "../../../../gateway/relay/sending/anchor-in.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { LogChannel } from "../../../fakes/log-channel.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { sampleReply } from "../../../fakes/sample-reply.ts";

const agentRef = { tenant: "default", agent: "mooring" };
const slack: Conversation = { channel: "slack", room: "D1", kind: "private" };
const web: Conversation = { channel: "web", room: "visitor", kind: "private" };
const AT = "2026-03-10T21:14:00.000Z";
const NOW = Date.parse("2026-03-10T23:28:00Z");

/** Shows a reply in a conversation, with all the inputs that decide about its anchor. */
const lookingAt = (defaults: DeliveryDefaults = {}, adapters: LogChannel[] = []) => {
  const clock = new ManualClock(NOW);
  const store = new MemoryStore(clock);
  const link = findPermalink(adapters, { clock, logger });
  const show = anchorIn({ store, clock, defaultsOn: () => defaults, findPermalink: link });
  const begunIn = (began: Conversation, origin: Partial<ReplyOrigin> = {}) => {
    const sessionId = firstSessionId({ ...agentRef, conversation: began });
    const audience = {
      conversation: began,
      personId: unlinkedPersonId("default", began.channel, "ann"),
      accountId: "ann",
    };
    const captured = { channel: began.channel, promptSummary: "tides", startedAt: AT, sessionId, ...origin };
    return sampleReply("r-1", began, "answer", { origin: captured, audience });
  };
  const startNew = (conversation: Conversation, messageId: string, after: string) =>
    startSession(store, { ...agentRef, conversation }, { after, messageId, now: NOW });
  return { clock, store, show, begunIn, startNew };
};

describe("given a reply, and the conversation that shows it (O8)", () => {
  const others: [string, Conversation][] = [
    ["another channel", web],
    ["another room", { ...slack, room: "D2" }],
    ["a thread", { ...slack, thread: "1" }],
    ["another instance of the channel", { ...slack, channel: "slack-acme" }],
  ];

  it("when it is the origin conversation, then there is no anchor", async () => {
    const { show, begunIn } = lookingAt();
    expect(await show(slack, begunIn(slack))).toBeNull();
  });

  it.each(others)("when it is %s, then there is an anchor", async (_name, conversation) => {
    const { show, begunIn } = lookingAt();
    expect(await show(conversation, begunIn(slack))).toMatchObject({ channel: "slack", summary: "tides" });
  });

  it("when `new` was used meanwhile, then the origin conversation has an anchor too; a `new` elsewhere changes nothing", async () => {
    const { show, begunIn, startNew } = lookingAt();
    const reply = begunIn(slack);
    await startNew(web, "m-1", firstSessionId({ ...agentRef, conversation: web }));
    expect(await show(slack, reply)).toBeNull();
    const second = await startNew(slack, "m-2", reply.origin?.sessionId ?? "");
    expect(await show(slack, reply)).not.toBeNull();
    const later = begunIn(slack, { sessionId: second });
    expect(await show(slack, later)).toBeNull();
    await startNew(slack, "m-3", second);
    expect(await show(slack, later)).not.toBeNull();
  });

  it("when the reply is a notice, then there is never an anchor (O7)", async () => {
    const { show, begunIn } = lookingAt();
    expect(await show(web, { ...begunIn(slack), kind: "notice", origin: null })).toBeNull();
  });
});

describe("given a reader with a time zone and a language (O9)", () => {
  const metBy = async (account: { locale?: string; timeZone?: string }, defaults?: DeliveryDefaults) => {
    const { store, show, begunIn } = lookingAt(defaults);
    const id = unlinkedPersonId("default", "slack", "ann");
    const unknown = { id, tenant: "default", membership: 0, accounts: [], surfaces: [] };
    const written = { agent: "mooring", conversation: slack, account: { id: "ann", name: "Ann", ...account } };
    const person = noteSurface(noteSurface(unknown, written, NOW), { ...written, conversation: web }, NOW);
    await store.put(personKey("default", id), person);
    const shared: Conversation = { channel: "slack", room: "lobby", kind: "shared" };
    return {
      inPrivate: (await show(web, begunIn(slack)))?.text.split("\n")[1],
      inRoom: (await show({ ...shared, thread: "t" }, begunIn(shared)))?.text.split("\n")[1],
    };
  };

  it("when their platform reports both, then private text uses them, and a room uses the channel's", async () => {
    const texts = await metBy(
      { locale: "de-DE", timeZone: "Europe/Berlin" },
      { locale: "fr", timeZone: "America/New_York" },
    );
    expect(texts).toEqual({
      inPrivate: "begonnen 10. März, 22:14 in Slack · vor 2 Stunden",
      inRoom: "started 17:14 from Slack · il y a 2 heures",
    });
  });

  it("when neither is known, then the text is in British English and UTC", async () => {
    expect((await metBy({})).inPrivate).toBe("started 21:14 from Slack · 2h 14m ago");
  });
});

class LinkingChannel extends LogChannel implements PermalinkAdapter {
  answer: () => Promise<string | undefined> = async () => "https://slack.example/p1";
  permalink(): Promise<string | undefined> {
    return this.answer();
  }
}

describe("given an origin with a message that a platform can link to (O12)", () => {
  const linkOf = async (origin: Partial<ReplyOrigin>, channel = new LinkingChannel("slack")) => {
    const { show, begunIn } = lookingAt({}, [channel]);
    return (await show(web, begunIn(slack, origin)))?.link;
  };

  it("when the adapter gave a link with the message, then the anchor has it", async () => {
    expect(await linkOf({ link: "https://own.example", messageId: "p1" })).toBe("https://own.example");
  });

  it("when it gave none, then its platform is queried when the anchor is rendered", async () => {
    expect(await linkOf({ messageId: "p1" })).toBe("https://slack.example/p1");
  });

  it("when the platform has none, fails, or cannot be queried, then the anchor has no link", async () => {
    const broken = new LinkingChannel("slack");
    broken.answer = () => Promise.reject(new Error("no"));
    expect(await linkOf({ messageId: "p1" }, broken)).toBeUndefined();
    expect(await linkOf({ messageId: "p1" }, new LinkingChannel("other"))).toBeUndefined();
    expect(await linkOf({})).toBeUndefined();
  });

  it("when the platform does not respond, then the anchor waits two seconds at most", async () => {
    const silent = new LinkingChannel("slack");
    silent.answer = () => new Promise(() => {});
    const { clock, show, begunIn } = lookingAt({}, [silent]);
    const shown = show(web, begunIn(slack, { messageId: "p1" }));
    while (clock.pending === 0) await new Promise(setImmediate);
    clock.advance(2_000);
    expect((await shown)?.link).toBeUndefined();
  });
});
