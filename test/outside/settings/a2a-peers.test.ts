import { beforeAll, describe, expect } from "vitest";
import { SdkAgent, TaskState, type Work } from "../../fakes/a2a/sdk-agent.ts";
import { calls, type ModelAnswer, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { freePort } from "../../setup/free-port.ts";
import { timed } from "../../setup/stopwatch.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
let weather: SdkAgent;
let ships: SdkAgent;
let tides: SdkAgent;
/** The address of webhooks for peers. */
const webhooks = new Recorder<{ readonly url: string; readonly token: string }>();
const WEBHOOK_KEY = "webhook-key-of-the-tests-0123456789";
/** Less than the defaults of these settings. */
const SOON_MS = 30_000;

/** Calls the agent that the person names, and returns its answer. */
const asking = ({ lastUserText, toolOutputs }: ModelRequest): ModelAnswer => {
  const [, agent] = /^ask (\S+)/.exec(lastUserText) ?? [];
  if (agent === undefined) return says(`Heard: ${lastUserText}`);
  if (toolOutputs.length > 0) return says(`Heard: ${toolOutputs.join(" ")}`);
  return calls([{ name: "send_message_to_agent", arguments: { agent, message: "How is it?", msg_type: "consult" } }]);
};

beforeAll(async () => {
  const answering = (work: Work) => work.answer("All is well.");
  weather = rig.owns(await SdkAgent.start(answering, { token: "token-for-weather" }));
  ships = rig.owns(await SdkAgent.start(answering, { apiKey: { header: "X-Ships-Key", value: "key-for-ships" } }));
  const hang = (work: Work) => {
    work.status(TaskState.TASK_STATE_WORKING);
    return new Promise<void>(() => undefined);
  };
  const intercept = (_request: unknown, _response: unknown, body: string) => {
    const webhook = body && JSON.parse(body).params?.configuration?.taskPushNotificationConfig;
    if (webhook) webhooks.add(webhook);
    return false;
  };
  tides = rig.owns(
    await SdkAgent.start(hang, { capabilities: { streaming: false, pushNotifications: true }, intercept }),
  );
  models = await rig.models();
  mooring = await rig.start(config(await freePort(), `http://127.0.0.1:${await freePort()}/`));
});

/** No process listens at the address of the absent agent. */
const config = (port: number, absent: string) => ({
  gateway: { host: "127.0.0.1", port, publicUrl: `http://127.0.0.1:${port}` },
  tenants: { default: {}, acme: { a2aAsync: true } },
  agents: [
    {
      name: "mooring",
      model: models.named("mooring", asking),
      peers: ["weather", "friend", "slow", "brief", "absent"],
      rights: { anonymous: ["default", "peers"] },
    },
    {
      name: "acme",
      tenant: "acme",
      model: models.named("acme", asking),
      peers: ["ships"],
      rights: { anonymous: ["default", "peers"] },
    },
  ],
  channels: {
    web: { adapter: "web", agent: "mooring" },
    acme: { adapter: "web", agent: "acme" },
  },
  a2a: {
    webhookKey: WEBHOOK_KEY,
    peers: {
      weather: { url: weather.url, token: "token-for-weather" },
      friend: { url: weather.url, token: "token-for-weather", trusted: true },
      ships: { url: ships.url, apiKey: "key-for-ships", tenant: "acme" },
      slow: { url: tides.url, consultMs: 1_000 },
      brief: { url: tides.url, consultMs: 20_000, deadlineMs: 1_000 },
      absent: { url: absent, consultMs: 60_000, unreachableMs: 1_000 },
    },
  },
});

/** The text that the agent of a channel received. */
const ask = async (channel: string, peer: string) => {
  const visitor = mooring.client("visitor", channel);
  const { result, ms, undelayedMs } = await timed(() => visitor.answerTo(visitor.say(`ask ${peer}`)));
  return { visitor, markdown: result.markdown, tookMs: ms, undelayedMs };
};
const tools = ({ body }: ModelRequest) => JSON.stringify(body.tools);

describe("given remote agents", () => {
  proves(
    ["a2a.peers.*.url", "a2a.peers.*.token", "a2a.peers.*.apiKey", "a2a.peers.*.tenant", "agents[].tenant"],
    "when agents of two tenants ask, then each reaches the peer of its own tenant, with what that wants to see",
    async () => {
      expect((await ask("web", "weather")).markdown).toContain("All is well.");
      expect((await ask("acme", "ships")).markdown).toContain("All is well.");
      expect(weather.headers.at(-1)).toMatchObject({ authorization: "Bearer token-for-weather" });
      expect(ships.headers.at(-1)).toMatchObject({ "x-ships-key": "key-for-ships" });
    },
  );

  proves(
    ["a2a.peers.*.trusted"],
    "when the same agent is asked as a trusted peer and as another one, then only the trusted one learns the prompt (R7)",
    async () => {
      const metadataFor = async (peer: string) => {
        await ask("web", peer);
        return JSON.stringify(weather.received.at(-1)?.metadata);
      };
      expect(await metadataFor("friend")).toContain('"promptSummary":"ask friend"');
      expect(await metadataFor("weather")).not.toMatch(/ask weather|promptSummary|startedAt|"web"/);
    },
  );

  proves(
    ["tenants.*.a2aAsync", "agents[].peers"],
    "when agents are offered their peers, then they see their own, and choose how to ask where their tenant allows it",
    async () => {
      const [inDefault] = await models.asked("mooring");
      const [inAcme] = await models.asked("acme");
      expect(tools(inDefault)).toContain("- weather");
      expect(tools(inDefault)).not.toContain("- ships");
      expect(tools(inAcme)).toContain("- ships");
      expect(tools(inAcme)).toContain("msg_type");
      expect(tools(inDefault)).not.toContain("msg_type");
    },
  );

  proves(
    ["a2a.peers.*.consultMs"],
    "when a peer does not answer, then its question is waited for as long as is set for this peer",
    async () => {
      const { markdown, undelayedMs } = await ask("web", "slow");
      expect(markdown).toContain("has not answered yet");
      expect(undelayedMs).toBeLessThan(SOON_MS);
    },
  );

  proves(
    ["a2a.peers.*.deadlineMs"],
    "when a peer does not end, then it has failed after the time that is set for this peer",
    async () => {
      const { markdown, undelayedMs } = await ask("web", "brief");
      expect(markdown).toContain("gave no answer");
      expect(undelayedMs).toBeLessThan(SOON_MS);
    },
  );

  proves(
    ["a2a.peers.*.unreachableMs"],
    "when a peer cannot be reached, then the call has failed after the time that is set for this peer",
    async () => {
      const { markdown, tookMs, undelayedMs } = await ask("web", "absent");
      expect(markdown).toContain("Could not reach the agent absent");
      expect(tookMs, "it is retried for a while").toBeGreaterThan(900);
      expect(undelayedMs).toBeLessThan(SOON_MS);
    },
  );

  proves(
    ["a2a.webhookKey", "a2a.previousWebhookKey"],
    "when a peer calls back, then every deployment with the same key, now or before a rotation, knows its token, and others do not",
    async () => {
      const [given] = await webhooks.until((items) => items.length > 0);
      const notify = async (address: string) => {
        const { pathname } = new URL(given?.url ?? "");
        const headers = { "x-a2a-notification-token": given?.token ?? "", "content-type": "application/json" };
        return (await fetch(`${address}${pathname}`, { method: "POST", headers, body: "{}" })).status;
      };
      const alike = await rig.start({ a2a: { webhookKey: WEBHOOK_KEY } });
      const unlike = await rig.start({ a2a: { webhookKey: `${WEBHOOK_KEY}-2` } });
      const rotated = await rig.start({
        a2a: { webhookKey: `${WEBHOOK_KEY}-2`, previousWebhookKey: WEBHOOK_KEY },
      });
      expect([await notify(alike.address), await notify(unlike.address)]).toEqual([202, 401]);
      expect(await notify(rotated.address)).toBe(202);
    },
  );
});
