import { createHash } from "node:crypto";
import { beforeAll, describe, expect } from "vitest";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { HttpRecorder } from "./http-recorder.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { IDENTITY_KEY, newSecret, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let hook: HttpRecorder;
let mooring: RunningProduct;
const KEY = newSecret();
const tokens = { alice: newSecret(), carol: newSecret(), dave: newSecret(), erin: newSecret(), fay: newSecret() };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const as = {
  alice: bearer(tokens.alice),
  bob: { "x-api-key": KEY },
  carol: bearer(tokens.carol),
  dave: bearer(tokens.dave),
  erin: bearer(tokens.erin),
  fay: bearer(tokens.fay),
};

const facts = { id: "facts", name: "Harbour facts", description: "Answers questions about harbours." };
const sales = { id: "sales", name: "Sales", description: "Takes orders." };
const news = { id: "news", name: "News", description: "Takes news." };

/** Notifies its people of the request, if it can. */
const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest) =>
  lastUserText.includes("tell them") && toolNames.includes("notify_people") && toolOutputs.length === 0
    ? calls([{ name: "notify_people", arguments: { text: "Somebody called." } }])
    : says("Nine metres.");

const config = (a2a: object) => ({
  tenants: { default: {}, acme: {} },
  agents: [
    {
      name: "harbour",
      model: models.named("harbour", answer),
      description: "Knows harbours.",
      home: { person: "Ada" },
      skills: [
        { ...facts, tags: ["depth"], examples: ["How deep is Bergen?"] },
        { ...news, tellPeople: true },
        { ...sales, tellPeople: true, deliverTo: { person: "Bea" } },
      ],
    },
    { name: "other", model: models.named("other", answer) },
    { name: "acme", tenant: "acme", model: models.named("acme", answer) },
  ],
  channels: { web: { adapter: "web", agent: "harbour", identityKey: IDENTITY_KEY } },
  people: [
    { name: "Ada", accounts: { web: "ada" } },
    { name: "Bea", accounts: { web: "bea" } },
    { name: "Cem", accounts: { web: "cem" } },
  ],
  a2a: {
    ...a2a,
    callers: {
      alice: { token: tokens.alice },
      bob: { apiKey: `sha256:${createHash("sha256").update(KEY).digest("hex")}` },
      carol: { token: tokens.carol, agents: ["harbour"], skills: ["facts"] },
      dave: { token: tokens.dave, requestsPerMinute: 2 },
      fay: { token: tokens.fay, deliverTo: { person: "Cem" } },
      erin: { token: tokens.erin, tenant: "acme" },
    },
  },
});

beforeAll(async () => {
  models = await rig.models();
  hook = rig.owns(await HttpRecorder.start());
  mooring = await rig.start(config({ idleMs: 0, pushAllow: ["127.0.0.0/8"] }));
});

interface Answer {
  readonly status: number;
  readonly text: string;
}
let messages = 0;
const call = async (
  caller: keyof typeof as,
  text: string,
  more: { agent?: string; skill?: string; url?: string } = {},
) => {
  const { agent = "harbour", skill, url } = more;
  const message = {
    messageId: `message-${++messages}`,
    role: "ROLE_USER",
    parts: [{ text }],
    ...(skill && { metadata: { skill } }),
  };
  const configuration = url ? { taskPushNotificationConfig: { url } } : {};
  const response = await fetch(`${mooring.address}/a2a/${agent}`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0", ...as[caller] },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message, configuration } }),
  });
  return { status: response.status, text: await response.text() } satisfies Answer;
};
const cardOf = async (agent: string) =>
  (
    await fetch(`${mooring.address}/a2a/${agent}/.well-known/agent-card.json`, { headers: { "a2a-version": "1.0" } })
  ).json();

/** Ada in her conversation, just after a turn of hers. */
const adaWrites = () => writes("ada");
const writes = async (account: string) => {
  const ada = mooring.client(account, "web", visitorToken(account));
  await ada.answerTo(ada.say("hello"));
  const notices = () => ada.replies().filter(({ anchor }) => anchor?.channel === "a2a-inbound");
  return { ada, notices };
};

describe("given agents that others may call", () => {
  proves(
    [
      "agents[].description",
      "agents[].skills[].id",
      "agents[].skills[].name",
      "agents[].skills[].description",
      "agents[].skills[].tags",
      "agents[].skills[].examples",
    ],
    "when their cards are read, then they say what is configured of each",
    async () => {
      const skill = { ...facts, tags: ["depth"], examples: ["How deep is Bergen?"] };
      expect(await cardOf("harbour")).toMatchObject({ description: "Knows harbours.", skills: [skill, news, sales] });
      expect(await cardOf("other")).toMatchObject({ description: 'The agent "other".' });
      expect(await cardOf("other")).not.toMatchObject({ skills: [expect.anything()] });
    },
  );

  proves(
    ["a2a.callers.*.token", "a2a.callers.*.apiKey", "a2a.callers.*.agents", "a2a.callers.*.skills"],
    "when others call, then those who are declared are let in, to the agents and skills that they may use",
    async () => {
      for (const caller of ["alice", "bob"] as const) {
        const { status, text } = await call(caller, "How deep?", { agent: "other" });
        expect([status, text]).toEqual([200, expect.stringContaining("Nine metres.")]);
      }
      const forged = await fetch(`${mooring.address}/a2a/harbour`, {
        method: "POST",
        headers: { "content-type": "application/json", ...bearer(KEY) },
        body: "{}",
      });
      expect(forged.status).toBe(401);
      expect((await call("carol", "How deep?", { agent: "other" })).status).toBe(403);
      expect((await call("carol", "How deep?", { skill: "news" })).text).toContain(
        "a skill that you may use here: facts",
      );
      expect((await call("carol", "How deep?", { skill: "facts" })).text).toContain("Nine metres.");
    },
  );

  proves(
    ["a2a.callers.*.tenant"],
    "when callers of two tenants call, then each reaches the agents of its own tenant only (R7)",
    async () => {
      const statuses = async (caller: "alice" | "erin") => [
        (await call(caller, "How deep?", { agent: "harbour" })).status,
        (await call(caller, "How deep?", { agent: "acme" })).status,
      ];
      expect(await statuses("alice")).toEqual([200, 403]);
      expect(await statuses("erin")).toEqual([403, 200]);
    },
  );

  proves(
    ["a2a.callers.*.requestsPerMinute"],
    "when a caller asks more often than it may, then it is refused and others are not",
    async () => {
      const statuses = async (caller: "alice" | "dave") => {
        const [one, two] = [await call(caller, "How deep?"), await call(caller, "How deep?")];
        return [one, two, await call(caller, "How deep?")].map(({ status }) => status);
      };
      expect(await statuses("dave")).toEqual([200, 200, 429]);
      expect(await statuses("alice")).toEqual([200, 200, 200]);
    },
  );

  proves(
    ["agents[].skills[].tellPeople", "agents[].home.person"],
    "when a caller uses a skill that people are told of, then the person at home reads it, and nothing of other skills",
    async () => {
      const { ada, notices } = await adaWrites();
      await call("alice", "How deep?", { skill: "facts" });
      await call("alice", "The harbour is closed.", { skill: "news" });
      await ada.until(() => notices().length > 0, "the notice");
      await ada.answerTo(ada.say("thanks"));
      expect(notices().map(({ markdown }) => markdown)).toEqual(["Nine metres."]);
    },
  );

  proves(
    ["agents[].skills[].deliverTo", "a2a.callers.*.deliverTo"],
    "when callers use skills, then the person of the skill reads of it, else the person of the caller, else home",
    async () => {
      const [ada, bea, cem] = [await writes("ada"), await writes("bea"), await writes("cem")];
      const counts = () => [ada, bea, cem].map(({ notices }) => notices().length);
      const [before = 0] = counts();
      await call("alice", "Ten ships.", { skill: "sales" });
      await bea.ada.until(() => bea.notices().length === 1, "the notice of the skill");
      await call("fay", "The harbour is open.", { skill: "news" });
      await cem.ada.until(() => cem.notices().length === 1, "the notice of the caller");
      await call("fay", "Two ships.", { skill: "sales" });
      await bea.ada.until(() => bea.notices().length === 2, "the second notice of the skill");
      expect(counts()).toEqual([before, 2, 1]);
    },
  );

  proves(
    ["a2a.pushAllow", "a2a.idleMs"],
    "when it is started without them, then private webhooks are refused, and people who just wrote are not disturbed",
    async () => {
      await call("alice", "How deep?", { url: `${hook.url}/hook` });
      await hook.received.count(1);
      const before = await adaWrites();
      await call("alice", "Please tell them.");
      await before.ada.until(() => before.notices().length > 0, "the notice, at once", 60_000);

      await mooring.end();
      mooring = await rig.start(config({}));
      expect((await call("alice", "How deep?", { url: `${hook.url}/hook` })).text).toContain("push notification's url");
      const after = await adaWrites();
      await call("alice", "Please tell them.");
      await call("alice", "How deep?");
      await after.ada.answerTo(after.ada.say("anything new?"));
      expect(after.notices()).toEqual([]);
      expect(hook.received.items).toHaveLength(1);
    },
  );
});
