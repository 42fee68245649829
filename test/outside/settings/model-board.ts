import type { ModelAnswer } from "../../fakes/model-answer.ts";
import { says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { ScriptedModelServer } from "../../fakes/scripted-model-server.ts";

export type Script = (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>;

/** One model server for all agents of a process; each agent requests a model by its own name. */
export class ModelBoard {
  readonly #server: ScriptedModelServer;
  readonly #scripts: Map<string, Script>;
  readonly #asked: Recorder<ModelRequest>;

  private constructor(server: ScriptedModelServer, scripts: Map<string, Script>, asked: Recorder<ModelRequest>) {
    this.#server = server;
    this.#scripts = scripts;
    this.#asked = asked;
  }

  static async start(): Promise<ModelBoard> {
    const scripts = new Map<string, Script>();
    const asked = new Recorder<ModelRequest>();
    const server = await ScriptedModelServer.start((request) => {
      asked.add(request);
      return (scripts.get(request.body.model) ?? echo)(request);
    });
    return new ModelBoard(server, scripts, asked);
  }

  get baseUrl(): string {
    return this.#server.baseUrl;
  }

  /** The `model` of an agent. Without a script it repeats the message. */
  named(name: string, script: Script = echo, more: object = {}): object {
    this.#scripts.set(name, script);
    return { provider: "openai-compatible", baseUrl: this.baseUrl, model: name, ...more };
  }

  requests(name: string): readonly ModelRequest[] {
    return this.#asked.items.filter(({ body }) => body.model === name);
  }

  /** The first `count` requests for a model, once they have arrived. */
  async asked(name: string, count = 1): Promise<readonly [ModelRequest, ...ModelRequest[]]> {
    await this.#asked.until(() => this.requests(name).length >= count);
    return this.requests(name) as [ModelRequest, ...ModelRequest[]];
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

const echo: Script = ({ lastUserText }) => says(`You said: ${lastUserText}`);
