import { Task } from "@a2a-js/sdk";
import { z } from "zod";
import type { DataOptions } from "../../../core/crashes/backbone-data.ts";
import { calls, Gate, type ModelAnswer, says } from "../../../fakes/model-answer.ts";
import type { ModelRequest } from "../../../fakes/model-request.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { ScriptedModelServer } from "../../../fakes/scripted-model-server.ts";
import { type LogItem, WebClient } from "../../../fakes/web-client.ts";
import { CrashableDeployment } from "./deployment-process.ts";

export const NAMES = ["ay", "bee"] as const;
export type Name = (typeof NAMES)[number];
export const otherThan = (name: Name): Name => (name === "ay" ? "bee" : "ay");

const tokenOf = (name: Name): string => `the-long-token-of-${name}`;
const Listed = z.object({ tasks: z.array(z.unknown()) });

/**
 * Two deployments that may call each other, one agent each. A person's "<type> <peer> <what>" is forwarded as "make
 * <what>", which ends when the test releases it, and reported as "told of <what>"; after "subtask", a subtask sends it.
 * "volley <peer> <type> <ball>" is sent back and forth up to the hop limit.
 */
export class Pair {
  readonly ay: CrashableDeployment;
  readonly bee: CrashableDeployment;
  /** The tool errors of agents that may not send a message. */
  readonly refusals = new Recorder<string>();
  /** Called when an agent is about to report the other agent's result. */
  beforeReport: (() => Promise<void>) | undefined;
  readonly #model: ScriptedModelServer;
  readonly #clients: WebClient[] = [];
  readonly #gates = new Map<string, Gate>();

  private constructor(ay: CrashableDeployment, bee: CrashableDeployment, model: ScriptedModelServer) {
    this.ay = ay;
    this.bee = bee;
    this.#model = model;
    model.follow((request) => this.#answer(request));
  }

  /** `isSplit`: gateways and cores are separate processes, without a configured public address. */
  static async start(kind: DataOptions["kind"], { isSplit = false } = {}): Promise<Pair> {
    const [ay, bee, model] = await Promise.all([
      CrashableDeployment.prepare(kind, isSplit),
      CrashableDeployment.prepare(kind, isSplit),
      ScriptedModelServer.start(),
    ]);
    const pair = new Pair(ay, bee, model);
    await Promise.all(NAMES.map((name) => pair[name].start(pair.#configOf(name))));
    return pair;
  }

  /** A person in a private conversation with that deployment. */
  personAt(name: Name, called: string): WebClient {
    const client = new WebClient(called, () => this[name].url);
    this.#clients.push(client);
    return client;
  }

  /** Lets the work on this continue. */
  release(what: string): void {
    this.#gateOf(what).release();
  }

  /** The tasks at one deployment that the other has started, read over the protocol. */
  async tasksAt(name: Name): Promise<Task[]> {
    const headers = { authorization: `Bearer ${tokenOf(otherThan(name))}`, "a2a-version": "1.0" };
    const answer = await fetch(`${this[name].url}/a2a/${name}/tasks?pageSize=100&includeArtifacts=true`, { headers });
    return Listed.parse(await answer.json()).tasks.map((task) => Task.fromJSON(task));
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all([this.ay.dispose(), this.bee.dispose(), this.#model.stop()]);
  }

  #configOf(name: Name): object {
    const other = otherThan(name);
    const { baseUrl } = this.#model;
    const peerAt = (at: Name) => ({ url: `${this[at].url}/a2a/${at}`, token: tokenOf(name) });
    const aliasAt = (at: Name) => ({ url: this[at].url, token: tokenOf(name) });
    const alias = `${other}-alias`;
    return {
      gateway: this[name].gateway,
      tenants: { default: { a2aAsync: true } },
      agents: [
        {
          name,
          peers: [other, alias, "mirror", "mirror-alias"],
          rights: { anonymous: ["default", "peers"] },
          peering: { lateWindowMs: 20 },
          model: { provider: "openai-compatible", baseUrl, model: "scripted" },
        },
      ],
      a2a: {
        callers: { [other]: { token: tokenOf(other) }, mirror: { token: tokenOf(name) } },
        // A mirror is the agent itself as a remote peer; an alias spells its address differently.
        peers: {
          [other]: peerAt(other),
          [alias]: aliasAt(other),
          mirror: peerAt(name),
          "mirror-alias": aliasAt(name),
        },
        // "bee" may not call webhooks in this network, so its callers poll.
        ...(name === "ay" && { pushAllow: ["127.0.0.0/8"] }),
      },
    };
  }

  async #answer({ lastUserText, toolOutputs, toolNames }: ModelRequest): Promise<ModelAnswer> {
    const [output] = toolOutputs;
    if (output !== undefined && toolNames.includes("complete_subtask")) return says("waiting for it");
    if (output?.includes("Not sent")) {
      this.refusals.add(output);
      return says("enough of that");
    }
    if (output !== undefined) return says(/made \S+/.exec(output)?.[0] ?? "on it");
    if (lastUserText.startsWith("[results of delegated work]")) return says("without it");
    if (/^\[(late answers|answer of another agent)/.test(lastUserText)) {
      await this.beforeReport?.();
      return says(`told of ${/made (\S+)/.exec(lastUserText)?.[1] ?? "its end"}`);
    }
    const [word = "", ...rest] = lastUserText.split(" ");
    if (word === "subtask")
      return calls([{ name: "spawn_subtask", arguments: { name: word, prompt: rest.join(" ") } }]);
    if (word === "drop") return calls([{ name: "cancel_subtask", arguments: { id: rest[0] } }]);
    if (word === "make") return says([this.#gateOf(rest.join(" ")), `made ${rest.join(" ")}`]);
    const [agent = "", what = "", ball = ""] = rest;
    const isVolley = word === "volley";
    // The receiver of a volley sends it back.
    const back = agent.replace(/^(ay|bee)/, (name) => otherThan(name as Name));
    const message = isVolley ? `volley ${back} ${what} ${ball}` : `make ${what}`;
    const msg_type = isVolley ? what : word;
    return calls([{ name: "send_message_to_agent", arguments: { agent, message, msg_type } }]);
  }

  #gateOf(what: string): Gate {
    const gate = this.#gates.get(what) ?? new Gate();
    this.#gates.set(what, gate);
    return gate;
  }
}

/** The final replies to a person, without progress. */
export const finals = (client: WebClient): LogItem[] => client.replies().filter(({ kind }) => kind === "final");
export const unsolicited = (client: WebClient): LogItem[] =>
  finals(client).filter(({ correlationId }) => correlationId === undefined);
