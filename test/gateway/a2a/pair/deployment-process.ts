import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { type BackboneData, createBackboneData, type DataOptions } from "../../../core/crashes/backbone-data.ts";
import { childProgram } from "../../../fakes/child-program.ts";
import { StableAddress } from "../../../fakes/stable-address.ts";
import { freePort } from "../../../setup/free-port.ts";

export interface ToDeployment {
  readonly crashAt: string;
  readonly nth: number;
}
export interface DeploymentOrder {
  readonly data: DataOptions;
  readonly config: object;
  readonly roles: readonly Role[];
}
export type FromDeployment = { say: "ready"; port: number } | { say: "armed" };

type Role = "gateway" | "core";

/** The product in a process that may crash at any time and is restarted with the same data and address. */
export class CrashableDeployment {
  readonly #data: BackboneData;
  readonly #address: StableAddress;
  /** Set if the gateway is a separate process. */
  readonly #port: number | undefined;
  #config: object = {};
  #child: ChildProcess | undefined;
  #core: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  private constructor(data: BackboneData, address: StableAddress, port: number | undefined) {
    this.#data = data;
    this.#address = address;
    this.#port = port;
  }

  /** `isSplit`: gateway and core are separate processes; the gateway is reachable by its port only. */
  static async prepare(kind: DataOptions["kind"], isSplit = false): Promise<CrashableDeployment> {
    const [data, address] = await Promise.all([createBackboneData[kind](), StableAddress.open()]);
    return new CrashableDeployment(data, address, isSplit ? await freePort() : undefined);
  }

  get url(): string {
    return this.#port === undefined ? this.#address.url : `http://127.0.0.1:${this.#port}`;
  }

  /** The gateway's part of the configuration. */
  get gateway(): object {
    if (this.#port !== undefined) return { host: "127.0.0.1", port: this.#port };
    return { host: "127.0.0.1", port: 0, publicUrl: this.url };
  }

  async start(config: object): Promise<void> {
    this.#config = config;
    if (this.#port !== undefined) this.#core = (await this.#run(["core"])).child;
    await this.restart();
  }

  /** Starts it again after a crash. */
  async restart(): Promise<void> {
    const { child, exited, port } = await this.#run(this.#port === undefined ? ["gateway", "core"] : ["gateway"]);
    this.#child = child;
    this.#exited = exited.then(() => {
      this.#address.port = undefined;
    });
    this.#address.port = port;
  }

  async #run(roles: readonly Role[]) {
    const script = childProgram(new URL("./deployment-child.ts", import.meta.url));
    const order: DeploymentOrder = { data: this.#data.options, config: this.#config, roles };
    const child = fork(script, [JSON.stringify(order)], { stdio: "inherit" });
    const exited = once(child, "exit");
    const [message] = await Promise.race([once(child, "message"), exited.then(() => [undefined])]);
    const said: FromDeployment | undefined = message;
    if (said?.say !== "ready") throw new Error("a deployment exited before it was ready");
    return { child, exited, port: said.port };
  }

  /** Orders a crash at the n-th pass of this checkpoint from now on. Resolves when the process has the order. */
  async crashAt(at: string, nth = 1): Promise<void> {
    const armed = once(this.#running, "message");
    const order: ToDeployment = { crashAt: at, nth };
    this.#running.send(order);
    await armed;
  }

  /** Resolves when it has crashed at its checkpoint and runs again. */
  async restarted(): Promise<void> {
    await this.#exited;
    await this.restart();
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exited;
  }

  async dispose(): Promise<void> {
    this.#core?.kill("SIGKILL");
    await this.kill();
    await this.#address.close();
    await this.#data.dispose();
  }

  get #running(): ChildProcess {
    if (this.#child === undefined) throw new Error("the deployment was not started");
    return this.#child;
  }
}
