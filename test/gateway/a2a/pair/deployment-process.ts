import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { type BackbonePlace, type PlaceOptions, places } from "../../../core/deaths/backbone-place.ts";
import { childProgram } from "../../../fakes/child-program.ts";
import { StableAddress } from "../../../fakes/stable-address.ts";

export interface ToDeployment {
  readonly dieAt: string;
  readonly nth: number;
}
export type FromDeployment = { say: "ready"; port: number } | { say: "armed" };

/** The product in a process that may die at any time and is started again; its data and its address outlive it. */
export class MortalDeployment {
  readonly #place: BackbonePlace;
  readonly #address: StableAddress;
  #config: object = {};
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  private constructor(place: BackbonePlace, address: StableAddress) {
    this.#place = place;
    this.#address = address;
  }

  static async prepare(kind: PlaceOptions["kind"]): Promise<MortalDeployment> {
    const [place, address] = await Promise.all([places[kind](), StableAddress.open()]);
    return new MortalDeployment(place, address);
  }

  get url(): string {
    return this.#address.url;
  }

  async start(config: object): Promise<void> {
    this.#config = config;
    await this.restart();
  }

  /** After a death. */
  async restart(): Promise<void> {
    const script = childProgram(new URL("./deployment-child.ts", import.meta.url));
    const given = { place: this.#place.options, config: this.#config };
    const child = fork(script, [JSON.stringify(given)], { stdio: "inherit" });
    this.#child = child;
    this.#exited = once(child, "exit").then(() => {
      this.#address.port = undefined;
    });
    const [message] = await Promise.race([once(child, "message"), this.#exited.then(() => [undefined])]);
    const said: FromDeployment | undefined = message;
    if (said?.say !== "ready") throw new Error("a deployment died before it was ready");
    this.#address.port = said.port;
  }

  /** From now on, the n-th time that it comes to this checkpoint is its end. Resolves when it knows. */
  async dieAt(at: string, nth = 1): Promise<void> {
    const armed = once(this.#running, "message");
    const order: ToDeployment = { dieAt: at, nth };
    this.#running.send(order);
    await armed;
  }

  /** Resolves when it has died by itself and runs again. */
  async revived(): Promise<void> {
    await this.#exited;
    await this.restart();
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#exited;
  }

  async dispose(): Promise<void> {
    await this.kill();
    await this.#address.close();
    await this.#place.dispose();
  }

  get #running(): ChildProcess {
    if (this.#child === undefined) throw new Error("the deployment was not started");
    return this.#child;
  }
}
