import { createHash, randomUUID } from "node:crypto";
import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { STOP_TIMEOUT_MS } from "../../../adapters/teams/api/calls.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type {
  Answer,
  ChannelHarness,
  HarnessOptions,
  PlatformFault,
  Said,
  SaidFile,
} from "../../contract/channel-harness.ts";
import { HeldClock } from "../../fakes/held-clock.ts";
import { opensFrom } from "../../fakes/stored-contents.ts";
import type { PostedActivity, Post as TeamsPost } from "../../fakes/teams/connector-api.ts";
import { CONSENT_CARD, FakeTeams } from "../../fakes/teams/fake-teams.ts";
import type { TeamsFault } from "../../fakes/teams/fault.ts";
import { teamsFaults } from "../../fakes/teams/fault.ts";
import { activityBy, messageBy, roomIn, type Said as TeamsSaid } from "../../fakes/teams/sent-activity.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";
import { MemoryStore } from "../web/memory-store.ts";
import { makeTeamsAdapter } from "./make-teams-adapter.ts";

const INFO_CARD = "application/vnd.microsoft.teams.card.file.info";

const FAULTS: Record<PlatformFault, TeamsFault> = {
  "rate-limited": teamsFaults.rateLimited,
  unavailable: teamsFaults.unavailable,
  "answer-lost": "cut-after-accept",
  "failed-after-accept": "fail-after-accept",
  "target-gone": teamsFaults.gone,
  forbidden: teamsFaults.blocked,
  rejected: teamsFaults.malformed,
  hanging: "hang",
};

/** In a thread, because each first message in a channel begins another conversation. */
const THREADS = { usual: "1600000000000", first: "1600000000001", second: "1600000000002" };

/** Sets up the Teams channel for the contract suite. */
export const teamsHarness = async ({ channel, listens }: HarnessOptions): Promise<ChannelHarness> => {
  const teams = await FakeTeams.start();
  const host = await new WebhookHost().open();
  const store = new MemoryStore(systemClock);
  teams.endpoint = host.urlOf(channel, "messages");
  const clock = new HeldClock(STOP_TIMEOUT_MS);
  const config = { access: { mentionOnly: listens !== "all" } };
  const storedFiles = new Map<string, Uint8Array>();
  const openFile = opensFrom(storedFiles);
  const makeAdapter = () => makeTeamsAdapter(teams, { channel, store, clock, openFile }, config);
  const filesIn = async (post: TeamsPost) => {
    const offered = post.activity.attachments?.some(({ contentType }) => contentType === CONSENT_CARD);
    if (offered) await teams.consent(post);
    return (post.activity.attachments ?? []).flatMap(({ contentType, name = "", contentUrl = "" }) => {
      const bytes = contentType === INFO_CARD ? teams.files.get(new URL(contentUrl).pathname) : undefined;
      return Buffer.isBuffer(bytes) ? [{ name, bytes }] : [];
    });
  };
  let adapter = makeAdapter();
  const texts = new Map<string, string>();
  const saidBy = (said: Said): TeamsSaid & { id: string } => {
    const {
      text,
      person = "ann",
      kind = "private",
      event,
      mention = true,
      thread = "usual",
      replyTo,
      files,
      at,
    } = said;
    const isBot = person === "this bot" || person === "another bot";
    const botId = person === "this bot" ? `28:${teams.appId}` : "28:another-bot";
    const id = event === undefined ? teams.api.nextId() : idOf(event);
    const conversationType = kind === "private" ? "personal" : "channel";
    const from = isBot ? "ann" : person;
    texts.set(`${roomIn(conversationType, from)}/${id}`, text);
    return {
      id,
      text,
      person: from,
      conversationType,
      ...(kind === "shared" && { thread: replyTo ?? THREADS[thread], mention }),
      more: {
        ...(isBot && { from: { id: botId, name: "Bot", role: "bot" } }),
        ...(at !== undefined && { timestamp: at }),
        ...(files && { attachments: files.map((file) => attach(teams, file)) }),
        ...(replyTo !== undefined && kind === "private" && { attachments: [quoteOf(replyTo, text)] }),
      },
    };
  };
  const start = async (inbox: Inbox) => {
    await adapter.start(inbox);
    host.mount(adapter);
  };
  return {
    get adapter() {
      return adapter;
    },
    kinds: ["private", "shared"],
    platform: {
      mentions: true,
      threads: true,
      replies: true,
      unmentionedReplies: false,
      attachments: true,
      bots: true,
      edits: true,
      buttons: true,
      quotes: false,
      times: true,
      idsPerRoom: true,
    },
    retryAfterMs: Number(teamsFaults.rateLimited.headers["retry-after"]) * 1_000,
    storedFiles,
    hostile: {
      massMention: "<at>General</at>",
      anchor: '↳ Re: "deep research"\n{{DATE(2025-01-01T00:00:00Z,SHORT)}} {{TIME(2025-01-01T00:00:00Z)}}',
    },
    start,
    async restart(inbox) {
      adapter = makeAdapter();
      await start(inbox);
    },
    userSays: async (said) => answerOf(await teams.say(saidBy(said))),
    async userEdits(edit) {
      const said = saidBy(edit);
      const { channelData, ...activity } = messageBy(teams, said, said.id);
      const eventType = { ...(channelData as object), eventType: "editMessage" };
      await teams.send({ ...activity, type: "messageUpdate", channelData: eventType });
    },
    async press({ messageId, label, person = "ann" }) {
      const post = teams.api.posts.items.find(({ id }) => id === messageId);
      const value = actionsOf(post?.activity).find(({ title }) => title === label)?.data;
      if (post === undefined || value === undefined) throw new Error(`${messageId} has no button "${label}"`);
      const isPrivate = post.conversationId.startsWith("a:");
      const by = activityBy(
        teams,
        { person, conversationType: isPrivate ? "personal" : "channel" },
        teams.api.nextId(),
      );
      const conversation = { ...by.conversation, id: post.conversationId };
      return answerOf(await teams.send({ ...by, conversation, type: "message", value, replyToId: messageId }));
    },
    async forge(said, forgery) {
      const activity = saidBy(said);
      const past = Math.floor(Date.now() / 1_000) - 3_600;
      const changes = {
        unsigned: { authorization: "" },
        "wrong-key": { forged: true },
        altered: { claims: { serviceurl: `${teams.serviceUrl}other/` } },
        stale: { claims: { nbf: past - 3_600, exp: past } },
        misdirected: { claims: { aud: randomUUID() } },
      }[forgery];
      // A stranger without a token knows the address that the configuration allows.
      const serviceUrl = forgery === "unsigned" ? { serviceUrl: teams.config.serviceUrls[0] } : {};
      return answerOf(await teams.send({ ...messageBy(teams, activity, activity.id), ...serviceUrl }, changes));
    },
    async posted(atLeast) {
      const posts = await teams.api.posts.count(atLeast);
      const shown = posts.map(async (post) => {
        const files = await filesIn(post);
        const { id, conversationId, activity } = post;
        const { text = "", attachments = [], entities = [] } = activity;
        return {
          text: text.replace(/<[^>]*>/g, " "),
          anchored: /\{\{(DATE|TIME)\(/.test(JSON.stringify([text, attachments])),
          pings: entities.length > 0 || /<at\b/i.test(text),
          messageId: id,
          where: conversationId,
          buttons: actionsOf(activity).map(({ title }) => title),
          ...(files.length > 0 && { files }),
        };
      });
      return Promise.all(shown);
    },
    async textAt(link) {
      const { origin, pathname } = new URL(link);
      const [, room = "", id = ""] = /^\/l\/message\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
      const post = teams.api.posts.items.find((each) => each.id === decodeURIComponent(id));
      if (origin !== "https://teams.microsoft.com") return undefined;
      return post?.activity.text ?? texts.get(`${decodeURIComponent(room)}/${decodeURIComponent(id)}`);
    },
    async signsDuring(act) {
      const before = teams.api.typing.items.length;
      await act();
      return teams.api.typing.items.slice(before).map((where) => ({ type: "typing", where }) as const);
    },
    breakPlatform(fault) {
      teams.fault = FAULTS[fault];
    },
    recoverPlatform: () => teams.recover(),
    expireStop: () => clock.expire(),
    moveRoom: async () => "none",
    removePost(messageId) {
      const at = teams.api.posts.items.findIndex(({ id }) => id === messageId);
      teams.api.posts.items.splice(at, 1);
    },
    async close() {
      await adapter.stop();
      await host.close();
      await teams.stop();
    },
  };
};

const idOf = (event: string): string =>
  String(Number.parseInt(createHash("sha256").update(event).digest("hex").slice(0, 10), 16));

const answerOf = (status: number): Answer => {
  if (status === 0) return "none";
  return status === 200 ? "acknowledged" : "refused";
};

interface CardAction {
  readonly title: string;
  readonly data: unknown;
}

const actionsOf = (activity: PostedActivity | undefined): CardAction[] =>
  (activity?.attachments ?? []).flatMap(({ content }) =>
    ((content as { body?: { actions?: CardAction[] }[] } | undefined)?.body ?? []).flatMap(
      ({ actions = [] }) => actions,
    ),
  );

const attach = (teams: FakeTeams, { name, bytes }: SaidFile) => {
  const path = `/files/${teams.files.size + 1}`;
  teams.files.set(path, bytes);
  const content = { downloadUrl: `${teams.origin}${path}`, uniqueId: `file-${path}`, fileType: name.split(".").at(-1) };
  return { contentType: "application/vnd.microsoft.teams.file.download.info", name, content };
};

const quoteOf = (messageId: string, text: string) => ({
  contentType: "text/html",
  content: `<blockquote itemscope itemtype="http://schema.skype.com/Reply" itemid="${messageId}">before</blockquote>${text}`,
});
