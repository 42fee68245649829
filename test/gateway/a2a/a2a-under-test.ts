import { createHash } from "node:crypto";
import { type Message, Role, type SendMessageRequest, type Task } from "@a2a-js/sdk";
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";
import { parseConfig } from "../../../config/parse-config.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { type Checkpoint, silentMeter as meter, type Tracer } from "../../../core/contract/ports/telemetry.ts";
import { startCore } from "../../../core/start-core.ts";
import { startA2a } from "../../../gateway/a2a/start-a2a.ts";
import { inboundOptions } from "../../../gateway/agent-config.ts";
import { openHttpListener } from "../../../gateway/http/http-listener.ts";
import { createReadiness } from "../../../gateway/http/readiness.ts";
import { createServer } from "../../../gateway/http/server.ts";
import { createMetrics } from "../../../gateway/telemetry/create-metrics.ts";
import {
  type BackboneData,
  createBackboneData,
  type DataOptions,
  openBackbone,
} from "../../core/crashes/backbone-data.ts";
import { type Script, ScriptedModel } from "../../fakes/scripted-model.ts";

export type Binding = "JSONRPC" | "HTTP+JSON";

const BOBS_KEY = "bobs-long-api-key";
export const credentials = {
  alice: { authorization: "Bearer alices-long-token" },
  bob: { "x-api-key": BOBS_KEY },
  carol: { authorization: "Bearer carols-long-token" },
  dave: { authorization: "Bearer daves-long-token" },
  erin: { authorization: "Bearer erins-long-token" },
} as const;
type CallerName = keyof typeof credentials;

/** Bob's key is known by its digest only; carol may use one skill; dave may ask twice a minute; erin is in acme. */
const CONFIG = `
tenants: { default: {}, acme: {} }
agents:
  - name: mooring
    model: demo
    description: Knows harbours.
    home: { channel: web, room: lobby }
    skills:
      - { id: facts, name: Harbour facts, description: Answers questions about harbours., tags: [harbour] }
      - { id: news, name: News, description: Takes news., tellPeople: true }
  - { name: other, model: demo }
  - { name: acme, tenant: acme, model: demo }
channels: { web: { adapter: web, agent: mooring } }
a2a:
  idleMs: 0
  pushAllow: ["127.0.0.0/8"]
  callers:
    alice: { token: alices-long-token, requestsPerMinute: 1000000 }
    bob: { apiKey: "sha256:${createHash("sha256").update(BOBS_KEY).digest("hex")}" }
    carol: { token: carols-long-token, agents: [mooring], skills: [facts] }
    dave: { token: daves-long-token, requestsPerMinute: 2 }
    erin: { token: erins-long-token, tenant: acme }
`;

export interface A2aTestOptions {
  readonly kind?: DataOptions["kind"];
  readonly checkpoint?: Checkpoint;
  readonly clock?: Clock;
  readonly wrap?: (backbone: Backbone) => Backbone;
  /** Tracer of the gateway. */
  readonly tracer?: Tracer;
}

/** Gateway and core in one process, which share only the backbone. */
export class A2aUnderTest {
  readonly model: ScriptedModel;
  url = "";
  core!: Backbone;
  readonly #data: BackboneData;
  readonly #stops: (() => Promise<unknown>)[] = [];

  private constructor(data: BackboneData, script: Script) {
    this.#data = data;
    this.model = new ScriptedModel(script);
  }

  static async start(script: Script = [], options: A2aTestOptions = {}): Promise<A2aUnderTest> {
    const data = await createBackboneData[options.kind ?? "embedded"]();
    const started = new A2aUnderTest(data, script);
    await started.#run(options);
    return started;
  }

  async #run(testOptions: A2aTestOptions): Promise<void> {
    const { checkpoint, clock = systemClock, wrap = (backbone) => backbone, tracer } = testOptions;
    const config = parseConfig({ file: "test.yaml", text: CONFIG, env: {} });
    const { options } = this.#data;
    this.core = wrap(await openBackbone(options));
    const gateway = options.kind === "nats" ? await openBackbone(options) : this.core;
    const core = await startCore({
      backbone: this.core,
      clock,
      logger,
      meter,
      stopGraceMs: 50,
      agents: config.agents.map(({ name, tenant, home, skills }) => ({
        name,
        tenant,
        model: this.model,
        inbound: inboundOptions(config, { name, tenant, skills }, home),
      })),
    });
    const readiness = createReadiness();
    const listener = await openHttpListener({ host: "127.0.0.1", port: 0 }, readiness);
    this.url = `http://127.0.0.1:${listener.port}`;
    let ids = 0;
    const deps = {
      config,
      clock,
      logger,
      publicUrl: this.url,
      newId: () => `id-${++ids}`,
      ...(checkpoint && { checkpoint }),
      tracer,
    };
    const a2a = await startA2a({ ...deps, backbone: gateway });
    const app = await createServer({
      listener,
      adapters: [],
      readiness,
      metrics: createMetrics(logger),
      logger,
      routes: [a2a.addRoutes],
    });
    this.#stops.push(
      () => a2a.stop(),
      () => listener.close(),
      () => app.close(),
      () => core.stop(),
      () => (gateway === this.core ? Promise.resolve() : gateway.close()),
      () => this.core.close(),
    );
  }

  /** The SDK's own client. */
  client(binding: Binding = "JSONRPC", caller: CallerName = "alice"): Promise<Client> {
    const fetchImpl: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(credentials[caller])) headers.set(name, value);
      return fetch(input, { ...init, headers });
    };
    const transports = [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })];
    return new ClientFactory({ transports, preferredTransports: [binding] }).createFromUrl(this.url);
  }

  /** Sends a raw request, also an invalid one that the client would not send. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0", ...credentials.alice, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  async dispose(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.#data.dispose();
  }
}

export const textPart = (value: string) => ({
  content: { $case: "text" as const, value },
  metadata: undefined,
  filename: "",
  mediaType: "",
});

let messages = 0;

export const says = (
  text: string,
  rest: Partial<Message> = {},
  configuration: Partial<NonNullable<SendMessageRequest["configuration"]>> = {},
): SendMessageRequest => ({
  tenant: "",
  message: {
    messageId: `message-${++messages}`,
    contextId: "",
    taskId: "",
    role: Role.ROLE_USER,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...rest,
  },
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    returnImmediately: false,
    ...configuration,
  },
  metadata: undefined,
});

export const asTask = (result: Message | Task): Task => {
  if ("status" in result) return result;
  throw new Error("expected a task, got a message");
};

export const answerOf = ({ artifacts }: Pick<Task, "artifacts">): string =>
  artifacts
    .flatMap(({ parts }) => parts.map(({ content }) => (content?.$case === "text" ? content.value : "")))
    .join("");

export const statusText = ({ status }: Pick<Task, "status">): string | undefined => {
  const content = status?.message?.parts[0]?.content;
  return content?.$case === "text" ? content.value : undefined;
};
