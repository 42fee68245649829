import { afterEach, beforeEach } from "vitest";
import type { ModelAnswer } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import type { MooringProcess } from "./mooring-process.ts";

export interface Product {
  readonly gateway: MooringProcess;
  readonly address: string;
  /** Kills the gateway and starts another one. */
  replaceGateway(): Promise<Product>;
  visitor(name: string): WebClient;
  /** Runs another command on the same configuration. */
  command(name: string, ...args: string[]): MooringProcess;
}

/** Further settings of the configuration. */
export interface Besides {
  readonly agent?: object;
  readonly config?: object;
}

/** A local Slack, a scripted model and the processes on them, per test. */
export class SlackRig {
  slack!: FakeSlack;
  #model!: ScriptedModelServer;
  readonly #cleanUp: (() => Promise<void>)[] = [];

  constructor(answer: (request: ModelRequest) => ModelAnswer) {
    beforeEach(async () => {
      this.slack = await FakeSlack.start();
      this.#model = await ScriptedModelServer.start(answer);
      this.#cleanUp.push(
        () => this.slack.stop(),
        () => this.#model.stop(),
      );
    });
    afterEach(async () => {
      for (const close of this.#cleanUp.splice(0).reverse()) await close();
    });
  }

  /** The built product with a Slack channel, in one process or as gateway and core on a real nats-server. */
  async run(backbone: "embedded" | "nats", way: "http" | "socket", besides: Besides = {}): Promise<Product> {
    const nats = backbone === "nats" ? await NatsServer.start() : undefined;
    if (nats) this.#cleanUp.push(() => nats.stop());
    const { botToken, apiUrl, signingSecret, appToken } = this.slack;
    const key = way === "http" ? { signingSecret } : { appToken };
    const model = { provider: "openai-compatible", baseUrl: this.#model.baseUrl, model: "scripted", apiKey: "none" };
    const deployment = await Deployment.create(
      plainConfig({
        backbone: nats ? { nats: { servers: [nats.url], leaseMs: 2_000, partitions: 4 } } : "embedded",
        agents: [{ name: "mooring", model, ...besides.agent }],
        channels: { web: { adapter: "web" }, slack: { adapter: "slack", botToken, apiUrl, ...key } },
        ...besides.config,
      }),
    );
    this.#cleanUp.push(() => deployment.dispose());
    if (nats) await deployment.run("core").running;
    const start = async (): Promise<Product> => {
      const gateway = deployment.run(nats ? "gateway" : "start");
      const address = await gateway.running;
      if (way === "http") this.slack.sendEventsTo(`${address}/channels/slack/events`);
      return {
        gateway,
        address,
        async replaceGateway() {
          gateway.kill("SIGKILL");
          await gateway.exited;
          return start();
        },
        command: (name, ...args) => deployment.run(name, args),
        visitor: (name) => deployment.with(new WebClient(name, () => address)),
      };
    };
    return start();
  }
}
