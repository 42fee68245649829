import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { OtlpReceiver, type ReceivedSpan } from "../fakes/otlp/otlp-receiver.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { linkInSlack } from "./link-in-slack.ts";
import { loadedPackages, REPORTS_LOADS } from "./loaded-packages.ts";
import { requireFreshBuild } from "./mooring-process.ts";
import { SlackRig } from "./slack-rig.ts";

beforeAll(requireFreshBuild);

const RESULT = "Here is canary, in short.";
const TOKEN = "k3y-0f-th3-p41r-9f2c7b";

/** Delegates, calls the other deployment, and combines both results in one answer. */
const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) return says("all about canary tides");
  if (lastUserText.startsWith("[")) return says(RESULT);
  if (toolOutputs.length > 0) return says("I am on it.");
  const question = { agent: "harbour", message: "what is 6 * 7?", msg_type: "consult" };
  return calls([
    { name: "spawn_parallel_subtasks", arguments: { tasks: [{ name: "tides", prompt: "canary" }], blocking: false } },
    { name: "send_message_to_agent", arguments: question },
  ]);
};

const rig = new SlackRig(answer);
let collector: OtlpReceiver;
let deployments: Deployment[];
beforeEach(async () => {
  deployments = [];
  collector = await OtlpReceiver.start();
});
afterEach(async () => {
  for (const deployment of deployments) await deployment.dispose();
  await collector.stop();
});
const deploy = async (changes: object): Promise<Deployment> => {
  const deployment = await Deployment.create(plainConfig(changes));
  deployments.push(deployment);
  return deployment;
};

const telemetry = (serviceName: string) => ({ otlp: { url: collector.url }, serviceName });

/** Another deployment of Mooring, which ours may call. */
const startPeer = async (): Promise<string> => {
  const peer = await deploy({
    agents: [{ name: "harbour", model: "demo", description: "Knows harbours." }],
    a2a: { callers: { mooring: { token: TOKEN } } },
    telemetry: telemetry("peer"),
  });
  return peer.run("start").running;
};

const isResearch = ({ name, attributes }: ReceivedSpan) =>
  name === "publish default.user.message.mooring" &&
  attributes["mooring.channel"] === "slack" &&
  attributes["mooring.trigger"] === "message";

describe("given Mooring as processes on NATS, a remote peer, and a collector", () => {
  it("when a Slack message delegates, calls the peer and is answered in the widget, then that is one trace (U4)", async () => {
    const address = await startPeer();
    const product = await rig.run("nats", "socket", {
      agent: { peers: ["harbour"], rights: { anonymous: ["default", "peers"] } },
      config: {
        a2a: { peers: { harbour: { url: address, token: TOKEN, trusted: true } } },
        telemetry: telemetry("mooring"),
      },
    });
    const { slack } = rig;
    const web = product.visitor("ann");
    await slack.sockets.greeted.count(1);
    await linkInSlack(slack, web, slack.world.nextTs());
    const ts = slack.world.nextTs();
    await slack.say({ room: "C0LOBBY", text: "<@U0BOT> research canary tides", ts, as: "app_mention" });
    await web.until(() => web.replies().some(({ markdown }) => markdown === RESULT), "the answer in the widget");

    const ofTrace = (spans: readonly ReceivedSpan[]) => {
      const traceId = spans.find(isResearch)?.traceId;
      return spans.filter((span) => span.traceId === traceId);
    };
    const orphans = (spans: readonly ReceivedSpan[]) => {
      const ids = new Set(spans.map(({ spanId }) => spanId));
      return spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId));
    };
    const service = ({ resource }: ReceivedSpan) => resource["service.name"];
    const isShownInWidget = (spans: readonly ReceivedSpan[]) =>
      spans.some(({ name, attributes }) => name === "send web" && attributes["mooring.reply.kind"] === "final");
    const all = await collector.spans.until((spans) => {
      const mine = ofTrace(spans);
      return isShownInWidget(mine) && mine.some((span) => service(span) === "peer") && orphans(mine).length === 0;
    });
    const trace = ofTrace(all);
    expect(trace.filter(({ parentSpanId }) => parentSpanId === undefined).map(isResearch)).toEqual([true]);
    expect(new Set(trace.map(({ resource }) => resource["process.pid"])).size).toBe(3);
    const names = trace.map((span) => `${service(span)}: ${span.name}`);
    expect(names).toEqual(
      expect.arrayContaining([
        "mooring: process default.user.message.mooring",
        "mooring: invoke_agent mooring",
        "mooring: chat openai-compatible/scripted",
        "mooring: execute_tool spawn_parallel_subtasks",
        "mooring: execute_tool send_message_to_agent",
        "mooring: invoke_agent harbour",
        "peer: publish default.user.message.harbour",
        "peer: invoke_agent harbour",
        "peer: chat demo",
        "mooring: publish default.user.response.mooring",
        "mooring: send slack",
        "mooring: send web",
      ]),
    );
    expect(collector.text).not.toContain("canary");

    const traceId = trace[0]?.traceId ?? "";
    const shown = product.command("trace", traceId, "--url", product.address);
    expect(await shown.exited).toMatchObject({ code: 0 });
    expect(shown.stdout()).toContain(`Trace ${traceId}`);
    expect(shown.stdout()).toMatch(/call-\w+ to harbour, consult: answered .*as task \S+ there/);
    expect(shown.stdout()).toMatch(/slack \/ T\w+ \/ C0LOBBY.*: accepted as \d+\.\d+/);
  });
});

const SDK = "@opentelemetry/sdk-trace";
/** The metrics library depends on the OpenTelemetry API. */
const isOfTelemetrySdk = (name: string): boolean => name.startsWith("@opentelemetry/") && name !== "@opentelemetry/api";

describe("given the built product", () => {
  it.each([
    ["no collector is configured, then the OpenTelemetry SDK is not loaded", () => ({}), []],
    [
      "a collector is configured, then the OpenTelemetry SDK is loaded",
      () => ({ telemetry: telemetry("mooring") }),
      expect.arrayContaining([SDK]),
    ],
  ])("when %s (U4)", async (_, changes, expected) => {
    const deployment = await deploy(changes());
    const mooring = deployment.run("start", [], { nodeArgs: REPORTS_LOADS });
    await mooring.running;
    mooring.kill("SIGTERM");
    expect(await mooring.exited).toMatchObject({ code: 0 });
    const loaded = [...(await loadedPackages(mooring))].filter(isOfTelemetrySdk);
    expect(loaded).toEqual(expected);
  });
});
