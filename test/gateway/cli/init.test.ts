import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../../config/load-config.ts";
import { programName } from "../../../gateway/cli/init/add-init.ts";
import { type Ask, type EnvChoice, init } from "../../../gateway/cli/init/init.ts";

let folder: string;
let said: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-init-"));
  said = "";
});
afterEach(() => rm(folder, { recursive: true }));

const file = () => join(folder, "mooring.yaml");
const envFile = () => join(folder, ".env");
interface More {
  readonly force?: boolean;
  readonly ask?: Ask;
  readonly envFile?: EnvChoice;
}
const run = (given: Record<string, string>, more: More = {}) =>
  init({
    output: file(),
    force: more.force ?? false,
    given: new Map(Object.entries(given)),
    ...(more.ask && { ask: more.ask }),
    envFile: more.envFile,
    print: (text) => {
      said += text;
    },
  });
const written = () => loadConfig({ file: file(), env: {} });

const EVERYTHING = {
  channels: "web,slack,discord,teams,telegram",
  "slack-bot-token": "xoxb-1",
  "slack-app-token": "xapp-1",
  "discord-bot-token": 'discord\'s "own"',
  "discord-guilds": "112233445566778899, 223344556677889900",
  "telegram-bot-token": "700:telegram-token",
  "telegram-accounts": "1234, 5678",
  "teams-app-id": "11111111-2222-4333-8444-555555555555",
  "teams-app-password": "p#=w",
  "teams-tenant-id": "66666666-7777-4888-8999-000000000000",
  model: "openai-compatible",
  "model-url": "http://127.0.0.1:9/v1",
  "model-name": "llama",
  "public-url": "https://chat.example.com",
  backbone: "nats",
  "nats-servers": "nats://a:4222,nats://b:4222",
};

describe("given no terminal", () => {
  it("when no flag is given, then the defaults make a configuration that runs (U2)", async () => {
    expect(await run({})).toEqual({ config: file() });
    const { agents, channels, backbone } = await written();
    expect(agents[0]).toMatchObject({ name: "mooring", model: { provider: "demo" } });
    expect(Object.keys(channels)).toEqual(["web", "cli"]);
    expect(backbone).toBe("embedded");
    expect(said).toContain(`mooring start --config ${file()}`);
  });

  it("when an agent elsewhere is chosen, then the configuration has its address, and .env its token (T6)", async () => {
    const given = { model: "a2a", "model-url": "https://agent.example.com", "model-key": "token-of-the-agent" };
    await run(given);
    expect(await readFile(file(), "utf8")).not.toContain("token-of-the-agent");
    const model = (await written()).agents[0]?.model;
    expect(model).toMatchObject({ provider: "a2a", url: "https://agent.example.com", trusted: false });
    expect(model?.provider === "a2a" && model.token?.reveal()).toBe("token-of-the-agent");
  });

  it("when every channel is chosen, then the configuration has their settings, and only .env has their secrets", async () => {
    await run(EVERYTHING);
    const config = await written();
    expect(config.channels).toMatchObject({
      slack: { adapter: "slack" },
      discord: { access: { workspaces: ["112233445566778899", "223344556677889900"] } },
      telegram: { access: { accounts: ["1234", "5678"] }, mode: "polling" },
      teams: { tenantId: EVERYTHING["teams-tenant-id"] },
    });
    expect(config.backbone).toMatchObject({ nats: { servers: ["nats://a:4222", "nats://b:4222"] } });
    const secrets = ["xoxb-1", "xapp-1", EVERYTHING["discord-bot-token"], "p#=w", "700:telegram-token"];
    const yaml = await readFile(file(), "utf8");
    for (const secret of secrets) expect(yaml).not.toContain(secret);
    const { discord } = config.channels;
    if (!discord || !("botToken" in discord)) throw new Error("no Discord");
    expect(discord.botToken.reveal()).toBe(EVERYTHING["discord-bot-token"]);
    expect((await stat(envFile())).mode & 0o777).toBe(0o600);
    for (const guide of ["slack", "discord", "teams", "telegram"]) expect(said).toContain(`docs/channels/${guide}.md`);
    for (const secret of secrets) expect(said).not.toContain(secret);
  });

  it("when flags are missing, invalid or not applicable, then one error names all of them, and nothing is written", async () => {
    const given = { channels: "slack", "slack-mode": "pigeon", "teams-app-id": "x" };
    await expect(run(given)).rejects.toThrow(
      /--slack-bot-token: is missing[\s\S]*--slack-mode: must be one of socket, http[\s\S]*--teams-app-id: does not apply to/,
    );
    await expect(readFile(file())).rejects.toThrow("ENOENT");
  });

  it("when an answer is invalid, then the error names its flag and the rule", async () => {
    const given = { channels: "slack", "slack-bot-token": "xapp-1", "slack-app-token": "xapp-1", port: "99999" };
    await expect(run(given)).rejects.toThrow(/--slack-bot-token: must begin with "xoxb-"\n {2}--port: must be/);
  });

  it("when the file exists, then it is kept, unless --force is given", async () => {
    await writeFile(file(), "mine");
    await expect(run({})).rejects.toThrow(
      "already exists: choose another file with --output, or overwrite it with --force",
    );
    expect(await readFile(file(), "utf8")).toBe("mine");
    await run({}, { force: true });
    expect((await written()).backbone).toBe("embedded");
  });

  it("when an env file exists and may be updated, then unrelated lines are kept and the wizard's lines replaced", async () => {
    await writeFile(envFile(), "OTHER=1\nANTHROPIC_API_KEY='old'");
    await run({ ...ANTHROPIC, "model-key": "new" }, { envFile: "update" });
    expect(await readFile(envFile(), "utf8")).toBe("OTHER=1\nANTHROPIC_API_KEY='new'\n");
    expect((await stat(envFile())).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual([".env", "mooring.yaml"]);
  });

  it("when an env file exists and no flag says more, then nothing is written and the error names both choices", async () => {
    await writeFile(envFile(), "ANTHROPIC_API_KEY='old'");
    await expect(run({ ...ANTHROPIC, "model-key": "new" })).rejects.toThrow(
      /\.env already exists, and this would replace ANTHROPIC_API_KEY: .*--existing-env update.*--existing-env keep/,
    );
    expect(await readFile(envFile(), "utf8")).toBe("ANTHROPIC_API_KEY='old'");
    await expect(readFile(file())).rejects.toThrow("ENOENT");
  });

  it("when an env file has the same secrets already, then it is not touched and nothing is asked", async () => {
    await writeFile(envFile(), "ANTHROPIC_API_KEY=same # mine\n");
    await run({ ...ANTHROPIC, "model-key": "same" });
    expect((await written()).agents[0]?.model).toMatchObject({ provider: "anthropic" });
  });

  it.each([
    ["openai", "openai-compatible", "https://api.openai.com/v1", "OPENAI_API_KEY"],
    ["openrouter", "openai-compatible", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"],
    ["anthropic", "anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"],
  ])("when the preset %s is chosen, then name and key suffice", async (model, provider, baseUrl, variable) => {
    await run({ model, "model-name": "some-model", "model-key": "key-of-mine" });
    expect((await written()).agents[0]?.model).toMatchObject({ provider, baseUrl, model: "some-model" });
    expect(await readFile(envFile(), "utf8")).toBe(`${variable}='key-of-mine'\n`);
  });

  it("when Ollama is chosen, then its model name suffices and no key is asked for", async () => {
    await run({ model: "ollama", "model-name": "llama" });
    expect((await written()).agents[0]?.model).toMatchObject({ baseUrl: "http://localhost:11434/v1", model: "llama" });
    await expect(run({ model: "ollama", "model-name": "llama", "model-key": "k" }, { force: true })).rejects.toThrow(
      "--model-key: does not apply",
    );
  });

  it("when a name and a persona are given, then the agent has them, also with characters of references", async () => {
    const persona = `Answer like a pilot: "brief", with \${prices} and # signs.`;
    await run({ model: "ollama", "model-name": "llama", name: "harbour", persona });
    expect((await written()).agents[0]).toMatchObject({ name: "harbour", directives: persona });
  });
});

const ANTHROPIC = { model: "anthropic", "model-name": "claude" };

/** Answers by flag, one after the other; questions without one get their default. */
const person = (answers: Record<string, string[]>) => {
  const asked: string[] = [];
  const ask: Ask = async ({ flag }) => {
    asked.push(flag);
    return answers[flag]?.shift() ?? "";
  };
  return { asked, ask };
};

describe("given a terminal", () => {
  it("when an answer is invalid, then the same question is asked again before the next one", async () => {
    const { asked, ask } = person({ channels: ["slack"], "slack-bot-token": ["nonsense", "xoxb-1"] });
    await run({ "slack-mode": "http", "slack-signing-secret": "s" }, { ask });
    const first = asked.indexOf("slack-bot-token");
    expect(asked.slice(first, first + 2)).toEqual(["slack-bot-token", "slack-bot-token"]);
    expect(new Set(asked).size).toBe(asked.length - 1);
    expect(said).toContain('--slack-bot-token: must begin with "xoxb-"');
    expect((await written()).channels.slack).toMatchObject({ adapter: "slack" });
  });

  it.each([
    ["model-url", "localhost:11434", /must be an http\(s\) address/],
    ["name", "My Agent", /must/],
    ["port", "99999", /must be/],
    ["port", "many", /must be/],
    ["public-url", "chat.example.com", /must be/],
    ["model-name", "", /is missing/],
  ])("when %s is answered with %j, then the terminal learns at once what is wrong", async (flag, answer, problem) => {
    const problems = new Map<string, string | undefined>();
    const ask: Ask = async (question, problemOf) => {
      if (question.flag === flag) problems.set(flag, problemOf(answer));
      return { model: "ollama", "model-name": "llama" }[question.flag] ?? "";
    };
    await run({}, { ask });
    expect(problems.get(flag)).toMatch(problem);
  });

  it("when every answer is a default, then no check rejects it", async () => {
    const problems: (string | undefined)[] = [];
    const answers: Record<string, string> = { model: "openai", "model-name": "m", "model-key": "k", for: "me" };
    const ask: Ask = async ({ flag }, problemOf) => {
      problems.push(problemOf(answers[flag] ?? ""));
      return answers[flag] ?? "";
    };
    await run({}, { ask });
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it("when an env file exists, then the person decides, and keeping it names the variables to set", async () => {
    await writeFile(envFile(), "OTHER=1\n");
    const answers = { ...ANTHROPIC, "model-key": "new" };
    const { asked, ask } = person({});
    await run(answers, { ask });
    expect(asked.at(-1)).toBe("existing-env");
    expect(await readFile(envFile(), "utf8")).toBe("OTHER=1\n");
    expect(said).toContain("Set these environment variables yourself before you go on: ANTHROPIC_API_KEY");
    await run(answers, { ask: person({ "existing-env": ["update"] }).ask, force: true });
    expect(await readFile(envFile(), "utf8")).toBe("OTHER=1\nANTHROPIC_API_KEY='new'\n");
  });

  it("when the person cancels, then nothing is written", async () => {
    const ask = () => Promise.reject(new Error("stopped"));
    await expect(run({}, { ask })).rejects.toThrow("stopped");
    await expect(readFile(file())).rejects.toThrow("ENOENT");
  });
});

describe("given any key", () => {
  it("then the written configuration contains it, or it is rejected and nothing is written", async () => {
    const key = fc.string({ minLength: 1, unit: fc.constantFrom(..."ab'\"`$#{}\\= \n") });
    await fc.assert(
      fc.asyncProperty(key, async (secret) => {
        const given = { model: "anthropic", "model-name": "claude", "model-key": secret };
        await rm(file(), { force: true });
        const refused = await run(given).then(
          () => false,
          () => true,
        );
        if (refused) {
          await expect(readFile(file())).rejects.toThrow("ENOENT");
          return;
        }
        const model = (await written()).agents[0]?.model;
        expect(model?.provider === "anthropic" && model.apiKey.reveal()).toBe(secret.trim());
      }),
      { numRuns: 60 },
    );
  });
});

describe("given the way in which the program was started", () => {
  it.each([
    ["/usr/local/bin/mooring", "mooring"],
    ["/home/ann/app/node_modules/.bin/mooring", "npx mooring"],
    [`${process.cwd()}/dist/mooring.js`, "node dist/mooring.js"],
    [`${process.cwd()}/my files/mooring.js`, "node 'my files/mooring.js'"],
  ])("when it was %s, then the next steps begin with %s", (started, program) => {
    expect(programName(started)).toBe(program);
  });
});
