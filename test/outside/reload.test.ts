import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { Gate, says } from "../fakes/model-answer.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { FakeTelegram } from "../fakes/telegram/fake-telegram.ts";
import { type Backbone, type Command, Product, type StartedProcess } from "./product.ts";
import { ModelBoard } from "./settings/model-board.ts";

beforeAll(requireFreshBuild);

let product: Product;
let slack: FakeSlack;
let telegram: FakeTelegram;
let discord: FakeDiscord;
let models: ModelBoard;
beforeEach(async () => {
  [slack, telegram, discord, models] = await Promise.all([
    FakeSlack.start(),
    FakeTelegram.start(),
    FakeDiscord.start(),
    ModelBoard.start(),
  ]);
});
afterEach(async () => {
  await product.dispose();
  await Promise.all([slack, telegram, discord, models].map((each) => each.stop()));
});

const newToken = () => randomBytes(32).toString("base64url");
const PAUSE_MS = 150;
const MAX_UNANSWERED = 4;

interface Reloaded {
  readonly applied: readonly string[];
  readonly restarted: readonly string[];
  readonly needsRestart: readonly string[];
}

/** The log lines of a process with this message. */
const linesOf = ({ stderr }: StartedProcess, message: string): Record<string, unknown>[] =>
  stderr()
    .split("\n")
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Sends SIGHUP and resolves to what the log says about it. */
const hangUp = async (process: StartedProcess): Promise<Reloaded> => {
  const before = linesOf(process, "configuration reloaded").length;
  process.kill("SIGHUP");
  for (;;) {
    const found = linesOf(process, "configuration reloaded")[before];
    if (found !== undefined) return found as unknown as Reloaded;
    await delay(20);
  }
};

const secret = async (name: string, value: string) => {
  await mkdir(join(product.folder, "secrets"), { recursive: true });
  await writeFile(join(product.folder, "secrets", name), `${value}\n`, { mode: 0o640 });
};

/** Changes the file of the process that was started as `nth`. */
const edit = async (name: string, change: (config: Record<string, unknown>) => object) => {
  const file = join(product.folder, `${name}.yaml`);
  const config = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  await writeFile(file, JSON.stringify({ ...config, ...change(config) }));
};

const admin = async ({ address }: StartedProcess, token: string, path: string, method = "GET") => {
  const response = await fetch(`${address}/admin/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: (await response.json()) as unknown };
};

const channels = () => ({
  web: { adapter: "web" },
  slack: {
    adapter: "slack",
    botToken: "${file:secrets/slack}",
    apiUrl: slack.apiUrl,
    signingSecret: slack.signingSecret,
    access: { messagesPerMinute: 6_000 },
  },
  telegram: {
    adapter: "telegram",
    botToken: "${TELEGRAM_TOKEN}",
    apiUrl: telegram.apiUrl,
    access: { accounts: "*", messagesPerMinute: 6_000 },
  },
  discord: {
    adapter: "discord",
    botToken: "${file:secrets/discord}",
    apiUrl: discord.apiUrl,
    access: { guilds: "*", messagesPerMinute: 6_000 },
  },
});

/** People who write until they are stopped. Each waits for the acknowledgement, and has at most a few messages unanswered. */
class Writers {
  readonly slack: string[] = [];
  readonly telegram: string[] = [];
  readonly discord: string[] = [];
  #isOver = false;
  readonly #writing = Promise.all([this.#writeInSlack(), this.#writeInTelegram(), this.#writeInDiscord()]);

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
  }

  async #pause(platform: Platform): Promise<void> {
    const waiting = () => answered(this, platform).filter((times) => times === 0).length;
    do await delay(PAUSE_MS);
    while (!this.#isOver && waiting() >= MAX_UNANSWERED);
  }

  async #writeInSlack(): Promise<void> {
    for (; !this.#isOver; await this.#pause("slack")) {
      const text = `slack message ${this.slack.length}.`;
      this.slack.push(text);
      const said = { text, ts: slack.world.nextTs() };
      // Slack redelivers events that are not acknowledged.
      while ((await slack.say(said)).answer !== "acknowledged") await delay(PAUSE_MS);
    }
  }

  async #writeInTelegram(): Promise<void> {
    const chat = telegram.world.privateChat("ann");
    for (; !this.#isOver; await this.#pause("telegram")) {
      const text = `telegram message ${this.telegram.length}.`;
      this.telegram.push(text);
      await telegram.say({ person: "ann", in: chat, text });
    }
  }

  /** Discord keeps events of a session that is not connected, and sends them when it resumes. */
  async #writeInDiscord(): Promise<void> {
    const chat = discord.world.privateChannel(discord.world.person("ann"));
    for (; !this.#isOver; await this.#pause("discord")) {
      const text = `discord message ${this.discord.length}.`;
      this.discord.push(text);
      discord.say({ person: "ann", in: chat, text });
    }
  }
}

const PLATFORMS = ["slack", "telegram", "discord"] as const;
type Platform = (typeof PLATFORMS)[number];

const postedOn: Record<Platform, () => readonly string[]> = {
  slack: () => slack.posted.map(({ text }) => text),
  telegram: () => telegram.posted.map(({ text }) => text),
  discord: () => discord.posted.map(({ content }) => content),
};

/** How often each message was answered. The model repeats it. */
const answered = (writers: Writers, platform: Platform): number[] => {
  const posted = postedOn[platform]();
  return writers[platform].map((text) => posted.filter((each) => each.includes(`You said: ${text}`)).length);
};

/** Waits for the answers to the first messages of each platform; `count` gets those that are written now. */
const untilAnswered = async (writers: Writers, count: (written: readonly string[]) => number): Promise<void> => {
  for (const platform of PLATFORMS) {
    const needed = count(writers[platform]);
    while (
      answered(writers, platform)
        .slice(0, needed)
        .filter((times) => times > 0).length < needed
    )
      await delay(20);
  }
};

const startAll = async (backbone: Backbone, config: object): Promise<Record<Command, StartedProcess>> => {
  product = await Product.create({ backbone, config });
  await secret("slack", slack.botToken);
  await secret("discord", discord.token);
  await secret("model", "key-of-the-first-day");
  await writeFile(join(product.folder, ".env"), `TELEGRAM_TOKEN=${telegram.token}\n`);
  if (backbone === "embedded") {
    const start = await product.start("start");
    await start.ready();
    return { start, gateway: start, core: start };
  }
  const [core, gateway] = [await product.start("core"), await product.start("gateway")];
  await Promise.all([core.ready(), gateway.ready()]);
  return { start: gateway, gateway, core };
};

describe.each<Backbone>(["embedded", "nats"])(
  "given a deployment on %s whose people write all the time",
  (backbone) => {
    it("when tokens of channels are revoked and replaced, then only those channels restart, and each message is answered once (U5)", async () => {
      const { gateway } = await startAll(backbone, {
        agents: [{ name: "mooring", model: models.named("mooring") }],
        channels: channels(),
      });
      slack.sendEventsTo(`${gateway.address}/channels/slack/events`);
      const visitor = product.client("visitor", gateway.address);
      await visitor.answerTo(visitor.say("hello"));
      const writers = new Writers();
      await untilAnswered(writers, () => 3);

      for (const round of [1, 2]) {
        slack.botToken = `xoxb-0-new-${round}`;
        telegram.token = `700000000${round}:AAnew-token-of-round-${round}`;
        discord.token = `new.token.round-${round}`;
        await secret("slack", slack.botToken);
        await secret("discord", discord.token);
        await writeFile(join(product.folder, ".env"), `TELEGRAM_TOKEN=${telegram.token}\n`);
        const reloaded = await hangUp(gateway);
        expect(reloaded).toMatchObject({
          applied: PLATFORMS.map((platform) => `channels.${platform}.botToken`),
          restarted: PLATFORMS.map((platform) => `channel ${platform}`),
          needsRestart: [],
        });
        await untilAnswered(writers, (written) => written.length + 1);
      }
      await writers.end();
      await untilAnswered(writers, (written) => written.length);

      await visitor.answerTo(visitor.say("hello again"));
      expect(visitor.closeCodes, "the web channel was not restarted").toEqual([]);
      for (const platform of PLATFORMS)
        expect([platform, answered(writers, platform)]).toEqual([platform, writers[platform].map(() => 1)]);
      const output = gateway.stdout() + gateway.stderr();
      for (const token of [slack.botToken, telegram.token, discord.token]) expect(output).not.toContain(token);
    });

    it("when the key of the model changes, then the next request has it, and a request in progress ends (U5)", async () => {
      const gate = new Gate();
      const slow = ({ lastUserText }: { lastUserText: string }) =>
        says(lastUserText.includes("slow") ? ["It took ", gate, "long."] : `You said: ${lastUserText}`);
      const { core, gateway } = await startAll(backbone, {
        agents: [{ name: "mooring", model: models.named("mooring", slow, { apiKey: "${file:secrets/model}" }) }],
        channels: channels(),
      });
      const visitor = product.client("visitor", gateway.address);
      const other = product.client("other", gateway.address);
      const pending = visitor.say("a slow one");
      await models.asked("mooring", 1);
      await secret("discord", discord.token);
      await secret("model", "key-of-the-second-day");
      const reloaded = await hangUp(core);
      expect(reloaded).toMatchObject({ applied: ["agents[0].model.apiKey"], restarted: [], needsRestart: [] });
      await other.answerTo(other.say("hello"));
      gate.release();
      expect((await visitor.answerTo(pending)).markdown).toBe("It took long.");
      const keys = models.requests("mooring").map(({ headers }) => headers.authorization);
      expect(keys).toEqual(["Bearer key-of-the-first-day", "Bearer key-of-the-second-day"]);
    });
  },
);

const [OPERATOR, NEXT_OPERATOR, TENANT_OPERATOR] = [newToken(), newToken(), newToken()];
const tokens = (token: string) => ({
  tokens: [
    { token, role: "platform_admin" },
    { token: TENANT_OPERATOR, role: "org_admin", tenant: "default" },
  ],
});

describe.each<Backbone>(["embedded", "nats"])("given a deployment on %s with operators", (backbone) => {
  it("when an operator reloads it, then the answer names what applies and what needs a restart, and the audit log has it (U5)", async () => {
    const { gateway, core } = await startAll(backbone, {
      admin: tokens(OPERATOR),
      metrics: { token: "${file:secrets/model}-for-metrics-of-the-first-day" },
      agents: [{ name: "mooring", model: models.named("mooring"), directives: "Be brief." }],
      channels: channels(),
    });
    const own = backbone === "embedded" ? "start-1" : "gateway-2";
    expect(await admin(gateway, OPERATOR, "configuration/reload", "POST")).toEqual({
      status: 200,
      body: { applied: [], restarted: [], needsRestart: [] },
    });
    expect((await admin(gateway, TENANT_OPERATOR, "configuration/reload", "POST")).status).toBe(403);

    await edit(own, ({ gateway: http, channels: known }) => ({
      logLevel: "debug",
      admin: tokens(NEXT_OPERATOR),
      gateway: { ...(http as object), port: 1 },
      channels: { ...(known as object), another: { adapter: "web" } },
      agents: [{ name: "mooring", model: models.named("mooring"), directives: "Be long." }],
    }));
    const { status, body } = await admin(gateway, OPERATOR, "configuration/reload", "POST");
    expect(status).toBe(200);
    // Agents wait with the new channel, because they may refer to it.
    expect(body).toEqual({
      applied: ["logLevel", "admin.tokens[0].token"],
      restarted: [],
      needsRestart: ["gateway.port", "agents[0].directives", "channels.another"],
    });
    expect(linesOf(gateway, "changed settings need a restart of this process")[0]).toMatchObject({
      settings: ["gateway.port", "agents[0].directives", "channels.another"],
    });
    expect((await admin(gateway, OPERATOR, "me")).status).toBe(401);
    const audit = (await admin(gateway, NEXT_OPERATOR, "audit")).body as {
      items: { action: string; status: number }[];
    };
    expect(audit.items.map(({ action, status: outcome }) => [action, outcome])).toContainEqual([
      "POST /admin/api/configuration/reload",
      200,
    ]);
    const visitor = product.client("visitor", gateway.address);
    await visitor.answerTo(visitor.say("hello"));
    expect(linesOf(gateway, "message accepted"), "the level of the log is debug").toHaveLength(1);
    expect(core.stderr()).not.toContain("uncaught");
  });

  it("when the new configuration is invalid, then nothing changes, and log and answer say what is wrong (U5)", async () => {
    const { gateway } = await startAll(backbone, { admin: tokens(OPERATOR), channels: channels() });
    const own = backbone === "embedded" ? "start-1" : "gateway-2";
    await secret("slack", "xoxb-0-new");
    await edit(own, () => ({
      admin: tokens(NEXT_OPERATOR),
      agents: [{ name: "mooring", model: "demo", directives: "${file:secrets/absent}", colour: "blue" }],
    }));
    const { status, body } = await admin(gateway, OPERATOR, "configuration/reload", "POST");
    expect(status).toBe(400);
    const { message } = (body as { error: { message: string } }).error;
    expect(message).toMatch(/needs the file \S+secrets\/absent, which does not exist/);
    expect(message).toContain("colour");
    gateway.kill("SIGHUP");
    while (linesOf(gateway, "configuration not reloaded, nothing has changed").length < 2) await delay(20);
    expect(linesOf(gateway, "configuration not reloaded, nothing has changed")[1]?.reason).toContain("colour");

    expect((await admin(gateway, NEXT_OPERATOR, "me")).status).toBe(401);
    expect((await admin(gateway, OPERATOR, "me")).status).toBe(200);
    slack.sendEventsTo(`${gateway.address}/channels/slack/events`);
    expect(await slack.say({ text: "hello" })).toMatchObject({ answer: "acknowledged" });
    await slack.until((posted) => posted.length > 0);
  });

  it("when settings of agents change during a turn, then the turn ends, and the next message has them (U5)", async () => {
    const gate = new Gate();
    const slow = ({ lastUserText }: { lastUserText: string }) =>
      says(lastUserText.includes("slow") ? ["It took ", gate, "long."] : `You said: ${lastUserText}`);
    const agent = (directives: string) => ({
      agents: [{ name: "mooring", model: models.named("mooring", slow), directives }],
    });
    const { core, gateway } = await startAll(backbone, { ...agent("Be brief."), channels: channels() });
    const visitor = product.client("visitor", gateway.address);
    const pending = visitor.say("a slow one");
    await models.asked("mooring", 1);
    await edit(backbone === "embedded" ? "start-1" : "core-1", () => agent("Be long."));
    const reloading = hangUp(core);
    const waiting = visitor.say("hello");
    await visitor.until(() => visitor.accepted.length === 2, "accepted");
    gate.release();
    expect(await reloading).toMatchObject({ applied: ["agents[0].directives"], restarted: ["agents"] });
    expect((await visitor.answerTo(pending)).markdown).toBe("It took long.");
    expect((await visitor.answerTo(waiting)).markdown).toBe("You said: hello");
    const prompts = models.requests("mooring").map(({ body }) => JSON.stringify(body.messages[0]));
    expect(prompts.map((prompt) => prompt.includes("Be long."))).toEqual([false, true]);
    expect(visitor.replies().map(({ correlationId }) => correlationId)).toEqual([pending, waiting]);
  });
});
