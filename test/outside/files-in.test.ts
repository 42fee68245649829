import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { docxOf, pdfOf, pngOf, pptxOf, xlsxOf, zipOf } from "../fakes/sample-files.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { FakeTelegram } from "../fakes/telegram/fake-telegram.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { type Backbone, Product, type StartedProcess } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
let model: ScriptedModelServer;
let slack: FakeSlack;
let discord: FakeDiscord;
let teams: FakeTeams;
let telegram: FakeTelegram;
beforeEach(async () => {
  model = await ScriptedModelServer.start(answer);
  slack = await FakeSlack.start();
  discord = await FakeDiscord.start();
  teams = await FakeTeams.start();
  telegram = await FakeTelegram.start();
});
afterEach(async () => {
  await product.dispose();
  await Promise.all([model, slack, discord, teams, telegram].map((part) => part.stop()));
});

/** "read file N page M" makes the model call the tool; it then repeats the output. Otherwise it says the first line. */
const answer = ({ lastUserText, toolOutputs }: ModelRequest): ModelAnswer => {
  const [, file, page] = /^read file (\d+) page (\d+)/.exec(lastUserText) ?? [];
  if (file === undefined) return says(`You said: ${lastUserText.split("\n")[0]}`);
  if (toolOutputs.length > 0) return says(`I found: ${toolOutputs.join(" ")}`);
  return calls([{ name: "read_attachment", arguments: { file: Number(file), page: Number(page) } }]);
};

const start = async (): Promise<StartedProcess> => {
  const { apiUrl, signingSecret, botToken } = slack;
  const access = { guilds: "*" };
  const mooring = await product.start("start", {
    agents: [
      {
        name: "mooring",
        model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" },
      },
      { name: "blind", model: "demo" },
    ],
    channels: {
      web: { adapter: "web", agent: "mooring" },
      blind: { adapter: "web", agent: "blind" },
      slack: { adapter: "slack", agent: "mooring", botToken, apiUrl, signingSecret },
      discord: { adapter: "discord", agent: "mooring", botToken: discord.token, apiUrl: discord.apiUrl, access },
      teams: { ...teams.config, agent: "mooring" },
      telegram: {
        adapter: "telegram",
        agent: "mooring",
        botToken: telegram.token,
        apiUrl: telegram.apiUrl,
        access: { accounts: "*" },
      },
    },
  });
  await mooring.ready();
  slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
  teams.endpoint = `${mooring.address}/channels/teams/messages`;
  return mooring;
};

const enter = async (name: string, { address }: StartedProcess, channel = "web"): Promise<WebClient> => {
  const visitor = product.client(name, address, undefined, channel);
  await visitor.until(() => visitor.room !== undefined, "the welcome");
  return visitor;
};

/** The request for the message that begins with these words, once the model has it. */
const asked = async (words: string): Promise<string> => {
  for (let count = 1; ; count++) {
    const { lastUserText, body } = await model.received(count);
    if (lastUserText.startsWith(words)) return JSON.stringify(body.messages.at(-1));
  }
};

const inTeams = (name: string, content: Buffer | "stalled") => {
  const path = `/files/${name}`;
  teams.files.set(path, content);
  return {
    contentType: "application/vnd.microsoft.teams.file.download.info",
    name,
    content: { downloadUrl: `${teams.origin}${path}`, uniqueId: name, fileType: name.split(".").at(-1) },
  };
};

const inSlack = (name: string, mimetype: string, content: Buffer) => {
  const id = `F0${slack.world.files.size + 1}`;
  slack.world.files.set(id, { id, name, mimetype, content });
  return { id, name, mimetype, size: content.length };
};

const PHOTO = pngOf(3, 2, [200, 30, 40]);
const DRAWING = pngOf(2, 3, [10, 90, 200]);

describe.each<Backbone>(["embedded", "nats"])("given people who send files on all channels, on %s", (backbone) => {
  it("when the files can be read, then the model gets their bytes or text, also after a kill, and only their own conversation has them (M3)", async () => {
    product = await Product.create({ backbone });
    const first = await start();

    // The acknowledgement does not wait for a file, and the file is fetched after a kill.
    const tides = inTeams("tides.pdf", "stalled");
    expect(await teams.say({ text: "from teams", more: { attachments: [tides] } })).toBe(200);
    await first.end("SIGKILL");
    teams.files.set("/files/tides.pdf", pdfOf(["High tide at 04:12"]));
    const mooring = await start();
    expect(await asked("from teams")).toContain("High tide at 04:12");
    expect(model.requests.filter(({ lastUserText }) => lastUserText.startsWith("from teams"))).toHaveLength(1);

    const ann = await enter("ann", mooring);
    const photo = await ann.upload("photo.png", PHOTO, "image/png");
    const answered = await ann.answerTo(ann.say("from web", undefined, [photo]));
    expect(answered.markdown).toBe("You said: from web");
    expect(await asked("from web")).toContain(`data:image/png;base64,${PHOTO.toString("base64")}`);

    const minutes = inSlack("minutes.docx", "application/octet-stream", docxOf(["The crane stays closed"]));
    await slack.say({ text: "from slack", more: { files: [minutes], subtype: "file_share" } });
    expect(await asked("from slack")).toContain("The crane stays closed");

    const { world } = discord;
    const plan = { name: "plan.xlsx", mediaType: "text/plain", bytes: xlsxOf("Berths", [["Aurora", 7]]) };
    discord.say({ person: "ann", in: world.privateChannel(world.person("ann")), text: "from discord", files: [plan] });
    expect(await asked("from discord")).toContain("[sheet Berths]\\nAurora\\t7");

    const drawing = { name: "drawing.png", mediaType: "image/png", bytes: DRAWING };
    await telegram.say({
      person: "ann",
      in: telegram.world.privateChat("ann"),
      text: "from telegram",
      files: [drawing],
    });
    expect(await asked("from telegram")).toContain(`data:image/png;base64,${DRAWING.toString("base64")}`);

    // A long document is shown in part, and the rest is read in pages; another conversation has none of it.
    const long = `begin ${"x".repeat(30_000)} the very end`;
    const log = await ann.upload("log.txt", long);
    await ann.answerTo(ann.say("a log", undefined, [log]));
    const shown = await asked("a log");
    expect(shown).toContain("20000 of 30019 characters; read_attachment reads file 2 from page 3 on");
    expect(shown).not.toContain("the very end");
    expect((await ann.answerTo(ann.say("read file 2 page 4"))).markdown).toContain("the very end");
    const history = JSON.stringify((await model.received(model.requests.length)).body);
    expect(history.length).toBeLessThan(25_000);
    const bob = await enter("bob", mooring);
    expect((await bob.answerTo(bob.say("read file 2 page 1"))).markdown).toContain("There is no file 2");
    await ann.answerTo(ann.command("new"));
    expect((await ann.answerTo(ann.say("read file 2 page 1"))).markdown).toContain("There is no file 2");
  });
});

describe("given people who send files that cannot be read", () => {
  it("when they send them, then each learns why at once, and the message is answered (M3)", async () => {
    product = await Product.create({ backbone: "embedded" });
    const mooring = await start();
    const ann = await enter("ann", mooring);
    const bomb = zipOf({ "ppt/presentation.xml": "<p/>", "ppt/slides/slide1.xml": Buffer.alloc(101_000_000) });
    const cases: readonly (readonly [name: string, content: Buffer, problem: RegExp | undefined])[] = [
      ["x.bin", Buffer.from([0, 1, 2, 255, 0]), /^I cannot read this kind of file \(x\.bin\): I can read images .*PDF/],
      ["cut.pdf", pdfOf(["tides"]).subarray(0, 60), /^I cannot read cut\.pdf: the file is damaged or incomplete\.$/],
      ["bomb.pptx", bomb, /^I cannot read bomb\.pptx: the file unpacks to too much data\.$/],
      ["page.png", Buffer.from("<html><body>sign in</body></html>"), undefined],
      ["slides.pdf", pptxOf(["Welcome"], "Smile"), undefined],
    ];
    for (const [name, content, problem] of cases) {
      const file = await ann.upload(name, content, "image/png");
      const notices = ann.replies().filter(({ kind }) => kind === "notice").length;
      const answered = await ann.answerTo(ann.say(`what about ${name}?`, undefined, [file]));
      expect(answered.markdown).toBe(`You said: what about ${name}?`);
      const added = ann
        .replies()
        .filter(({ kind }) => kind === "notice")
        .slice(notices);
      expect(added.map(({ markdown }) => markdown)).toEqual(
        problem === undefined ? [] : [expect.stringMatching(problem)],
      );
    }
    expect(await asked("what about page.png?")).toContain("(HTML text");
    expect(await asked("what about slides.pdf?")).toContain("[slide 1]\\nWelcome");
    const requests = model.requests.length;
    const alone = await ann.upload("y.bin", Buffer.from([0, 1, 2, 255, 0]));
    expect((await ann.answerTo(ann.say("", undefined, [alone]))).markdown).toContain("(y.bin)");
    expect(model.requests).toHaveLength(requests);

    const huge = { ...inSlack("huge.pdf", "application/pdf", Buffer.from("%PDF-")), size: 100_000_000 };
    await slack.say({ text: "a huge one", more: { files: [huge], subtype: "file_share" } });
    expect(await asked("a huge one")).toContain("huge.pdf: it is larger than 20 MB");

    const blind = await enter("eve", mooring, "blind");
    const photo = await blind.upload("photo.png", PHOTO, "image/png");
    const reply = await blind.answerTo(blind.say("", undefined, [photo]));
    expect(reply.markdown).toBe("I cannot look at images (photo.png): my model reads text only.");
  });
});
