import { randomUUID } from "node:crypto";
import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { defaultSlackLimits } from "../../../adapters/slack/web-api.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type {
  Answer,
  ChannelHarness,
  Forgery,
  HarnessOptions,
  PlatformFault,
  Said,
} from "../../contract/channel-harness.ts";
import { HeldClock } from "../../fakes/held-clock.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { textsOf } from "../../fakes/slack/check-blocks.ts";
import { asJson, signatureOf } from "../../fakes/slack/event-posts.ts";
import type { Saying } from "../../fakes/slack/fake-slack.ts";
import { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import { envelopeOf, mentionEvent, messageEvent } from "../../fakes/slack/payloads.ts";
import type { Block, SlackMessage } from "../../fakes/slack/slack-world.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";
import { quickLimits, type SlackMode, slackAdapter } from "./make-slack-adapter.ts";

const FAULTS: Record<PlatformFault, string> = {
  "rate-limited": "429",
  unavailable: "503",
  "answer-lost": "cut-after-accept",
  "failed-after-accept": "500-after-accept",
  "target-gone": "is_archived",
  forbidden: "not_in_channel",
  rejected: "msg_too_long",
  hanging: "hang",
};

/** Both channels of a case have the same platform ids. */
const STARTED_AT = Date.now();
const RETRY_AFTER_MS = 2_000;

/** Sets up Slack for the contract suite. */
export const slackHarness =
  (mode: SlackMode) =>
  async ({ channel, listens }: HarnessOptions): Promise<ChannelHarness> => {
    const slack = await FakeSlack.start();
    slack.world.freeze(STARTED_AT);
    slack.retryAfterSeconds = RETRY_AFTER_MS / 1_000;
    const host = await new WebhookHost().open();
    if (mode === "http") slack.sendEventsTo(host.urlOf(channel, "events"));
    const limits = { ...quickLimits, stopMs: defaultSlackLimits.stopMs };
    const clock = new HeldClock(limits.stopMs);
    const config = { reactions: true, ...(listens === "all" && { access: { mentionOnly: false } }) };
    const makeAdapter = () => slackAdapter(slack, mode, { channel, clock, limits, config });
    let adapter = makeAdapter();
    const named = new Map<string, string>();
    const unstored = new Recorder<"none">();
    /** Over a socket Slack gets no refusal, so this records messages that were not stored. */
    const watched = (inbox: Inbox): Inbox => ({
      async accept(message) {
        await inbox.accept(message).catch((error: unknown) => {
          const willBeRetried = error instanceof AppError && error.code === "unavailable";
          if (mode === "socket" && willBeRetried) unstored.add("none");
          throw error;
        });
      },
    });
    const orUnstored = async (sent: Promise<{ answer: Answer }>): Promise<Answer> => {
      const lost = unstored.count(unstored.items.length + 1).then(() => ({ answer: "none" as const }));
      return (await Promise.race([sent, lost])).answer;
    };
    const threads = { usual: slack.world.nextTs(), first: slack.world.nextTs(), second: slack.world.nextTs() };
    const tsOf = ({ event, at }: Pick<Said, "event" | "at">): string => {
      const ts = named.get(event ?? "") ?? (at ? `${Date.parse(at) / 1_000}.000000` : slack.world.nextTs());
      if (event !== undefined) named.set(event, ts);
      return ts;
    };
    const sayingOf = (said: Said): Saying & { user: string; room: string; ts: string } => {
      const { text, person = "ann", kind = "private", mention = true, thread = "usual", replyTo, files } = said;
      const { user, ...bot } = userOf(slack, person);
      const attached = files?.map((file) => attach(slack, file.name, file.mediaType, file.bytes));
      const more = { ...bot, ...(attached && { files: attached, subtype: "file_share" }) };
      const isMention = kind === "shared" && mention;
      const inThread = replyTo ?? (kind === "shared" ? threads[thread] : undefined);
      return {
        user,
        text: isMention ? `<@${slack.world.botUserId}> ${text}` : text,
        ts: tsOf(said),
        room: kind === "shared" ? "C0LOBBY" : slack.world.directRoomOf(person.endsWith("bot") ? "U0ANN" : user),
        ...(inThread !== undefined && { thread: inThread }),
        ...(isMention && { as: "app_mention" as const }),
        more,
      };
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
        unmentionedReplies: true,
        attachments: true,
        bots: true,
        edits: true,
        buttons: true,
        quotes: false,
        times: true,
        idsPerRoom: true,
      },
      retryAfterMs: RETRY_AFTER_MS,
      hostile: {
        massMention: "<!channel> <!here|here> <@U0BOB> @here @channel",
        anchor: "<!date^1736000000^{time}|then>",
      },
      async start(inbox) {
        host.mount(adapter);
        await adapter.start(watched(inbox));
      },
      async restart(inbox) {
        slack.sockets.drop();
        await adapter.stop();
        adapter = makeAdapter();
        host.mount(adapter);
        await adapter.start(watched(inbox));
      },
      userSays: (said) => orUnstored(slack.say(sayingOf(said))),
      async userEdits(edit) {
        const { user, room, text, ts, as } = sayingOf(edit);
        const edited = { user, ts: slack.world.nextTs() };
        const message = { type: "message", user, text, ts, edited };
        const changed = { type: "message", subtype: "message_changed", hidden: true, channel: room, message };
        await slack.event({ ...changed, channel_type: as ? "channel" : "im", ts: edited.ts, event_ts: edited.ts });
        if (as) await slack.event(mentionEvent(slack.world, { user, room, text, ts, more: { edited } }));
      },
      press({ messageId, label, person = "ann" }) {
        const message = slack.posted.find(({ ts }) => ts === messageId);
        if (message === undefined) throw new Error(`there is no message ${messageId}`);
        return orUnstored(slack.press(message, label, `U0${person.toUpperCase()}`));
      },
      async forge(said, forgery) {
        const { user, room, text, ts } = sayingOf(said);
        const envelope = envelopeOf(slack.world, messageEvent(slack.world, { user, room, text, ts }), `Ev${ts}`);
        return forged(slack, forgery, envelope);
      },
      async posted(atLeast) {
        return (await slack.until((posted) => posted.length >= atLeast)).map((message) => seen(message, slack));
      },
      async textAt(link) {
        const [, room = "", digits = ""] =
          /^https:\/\/mooring\.slack\.com\/archives\/(\w+)\/p(\d+)(?:\?|$)/.exec(link) ?? [];
        return slack.world.find(room, `${digits.slice(0, -6)}.${digits.slice(-6)}`)?.text;
      },
      async signsDuring(act) {
        const { statuses, reacted } = slack.world;
        const before = { statuses: statuses.items.length, reacted: reacted.items.length };
        await act();
        const whereOf = (at: { room: string; thread?: string | undefined }) => `${at.room}/${at.thread ?? ""}`;
        const typing = statuses.items.slice(before.statuses);
        const reactions = reacted.items.slice(before.reacted);
        return [
          ...typing.map((at) => ({ type: "typing", where: whereOf(at) }) as const),
          ...reactions.map((at) => {
            const type = at.name === "eyes" ? "seen" : at.isRemoved ? "working-ended" : "working";
            return { type, where: whereOf(at), messageId: at.ts } as const;
          }),
        ];
      },
      breakPlatform(fault) {
        slack.faultIn = (method) => (method.startsWith("chat.") ? FAULTS[fault] : undefined);
      },
      recoverPlatform() {
        clock.skip(RETRY_AFTER_MS);
        slack.recover();
      },
      expireStop: () => clock.expire(),
      moveRoom: async () => "none",
      removePost(messageId) {
        const at = slack.world.messages.findIndex(({ ts }) => ts === messageId);
        slack.world.messages.splice(at, 1);
      },
      async close() {
        await adapter.stop();
        await host.close();
        await slack.stop();
      },
    };
  };

const userOf = ({ world }: FakeSlack, person: NonNullable<Said["person"]>) => {
  if (person === "this bot") return { user: world.botUserId, bot_id: world.botId };
  if (person === "another bot") return { user: "U0OTHERBOT", bot_id: "B0OTHER" };
  return { user: `U0${person.toUpperCase()}` };
};

const attach = (slack: FakeSlack, name: string, mimetype: string, content: Buffer) => {
  const id = `F0${slack.world.files.size + 1}`;
  slack.world.files.set(id, { id, name, mimetype, content });
  return { id, name, mimetype, size: content.length };
};

/** Slack signs the body and its time with the secret of the app. */
const forged = async (slack: FakeSlack, forgery: Forgery, envelope: object): Promise<Answer> => {
  const now = Math.floor(Date.now() / 1_000);
  const genuine = asJson(envelope);
  const unsigned = { "x-slack-signature": "", "x-slack-request-timestamp": "" };
  const otherBody = { "x-slack-signature": signatureOf(slack.signingSecret, now, "{}") };
  const post = {
    unsigned: { ...genuine, headers: unsigned },
    "wrong-key": { ...genuine, secret: randomUUID() },
    altered: { ...genuine, at: now, headers: otherBody },
    stale: { ...genuine, at: now - 3_600 },
    misdirected: asJson({ ...envelope, team_id: "T0OTHER", authorizations: [] }),
  }[forgery];
  const { status } = await slack.post(post);
  return status >= 200 && status < 300 ? "acknowledged" : "refused";
};

/** A message as a client shows it: its blocks, or its text if it has no blocks. */
const seen = (message: SlackMessage, { world }: FakeSlack) => {
  const all = [...message.blocks, ...message.attachments.flatMap(({ blocks = [] }) => blocks)];
  const sections = message.blocks.filter(({ type }) => type === "section");
  const written = message.blocks.length > 0 ? textsOf(sections).join("\n") : message.text;
  return {
    text: written.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
    anchored: all.some(({ type }) => type === "context") || written.includes("<!date"),
    pings: message.pings === true,
    messageId: message.ts,
    where: `${message.room}/${message.thread ?? ""}`,
    // Slack shows a file below the message that links to it.
    files: [...written.matchAll(/slack\.com\/files\/\w+\/(\w+)\//g)].flatMap(([, id = ""]) => {
      const file = world.files.get(id);
      return file ? [{ name: file.name, bytes: file.content }] : [];
    }),
    buttons: all.filter(({ type }) => type === "actions").flatMap(labelsOf),
    ...(message.onlyFor !== undefined && { onlyFor: message.onlyFor }),
  };
};

const labelsOf = ({ elements }: Block): string[] =>
  (elements as { text: { text: string } }[]).map(({ text }) => text.text);
