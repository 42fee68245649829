import { NatsServer } from "../fakes/nats-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import type { MooringProcess } from "./mooring-process.ts";

export interface Gateway {
  readonly process: MooringProcess;
  readonly address: string;
}

/** A real nats-server with any number of gateways and cores on it. */
export class NatsDeployment {
  readonly nats: NatsServer;
  readonly gateways: Gateway[] = [];
  readonly cores: MooringProcess[] = [];
  readonly #deployment: Deployment;
  #attempts = 0;

  private constructor(nats: NatsServer, deployment: Deployment) {
    this.nats = nats;
    this.#deployment = deployment;
  }

  static async start(options: { gateways: number; cores: number; pauseMs: number }): Promise<NatsDeployment> {
    const nats = await NatsServer.start();
    const config = plainConfig({
      backbone: { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } },
      agents: [{ name: "mooring", model: { provider: "demo", pauseMs: options.pauseMs } }],
      channels: { web: { adapter: "web", limits: { messagesPerSecond: 1_000, messageBurst: 1_000 } } },
    });
    const started = new NatsDeployment(nats, await Deployment.create(config));
    await Promise.all([
      ...Array.from({ length: options.gateways }, () => started.addGateway()),
      ...Array.from({ length: options.cores }, () => started.addCore()),
    ]);
    return started;
  }

  async addGateway(): Promise<Gateway> {
    const process = this.#deployment.run("gateway");
    const gateway = { process, address: await process.running };
    this.gateways.push(gateway);
    return gateway;
  }

  async addCore(): Promise<MooringProcess> {
    const core = this.#deployment.run("core");
    await core.running;
    this.cores.push(core);
    return core;
  }

  /** Each connection attempt goes to the next gateway, as behind a load balancer. */
  client(name: string): WebClient {
    const next = () => this.gateways[this.#attempts++ % this.gateways.length]?.address ?? "http://127.0.0.1:9";
    return this.#deployment.with(new WebClient(name, next));
  }

  async kill(process: MooringProcess): Promise<void> {
    process.kill("SIGKILL");
    await process.exited;
  }

  async dispose(): Promise<void> {
    await this.#deployment.dispose();
    await this.nats.stop();
  }
}
