import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import type { AgentModel } from "../../../core/model/agent-model.ts";
import { ModelConfig } from "../../../core/model/config.ts";
import { createModel, type StepRequest } from "../../../core/model/index.ts";
import { TURNS_OF_ROOM } from "./product.ts";

/** The requests of one turn with a tool call: the second one has the result. */
export interface TurnRequests {
  first: StepRequest | undefined;
  second: StepRequest | undefined;
}

/** The product's client of a model server that calls the tool of its name, then answers; without a tool it answers. */
export class CallingModel implements AgentModel {
  readonly label = "calling";
  /** The latest requests of a turn in the middle of its room: the bare side sends the same ones. */
  readonly sent: TurnRequests = { first: undefined, second: undefined };
  readonly #models = new Map<string, AgentModel>();
  readonly #service: string;
  tool: string | undefined;

  constructor(service: string) {
    this.#service = service;
  }

  step: AgentModel["step"] = (request, options) => {
    const { messages } = request;
    const isMiddle = messages.filter(({ role }) => role === "user").length === Math.ceil(TURNS_OF_ROOM / 2);
    if (isMiddle) this.sent[messages.at(-1)?.role === "tool" ? "second" : "first"] = request;
    return this.#model(this.tool ?? "none").step(request, options);
  };

  #model(name: string): AgentModel {
    const known = this.#models.get(name);
    if (known !== undefined) return known;
    const config = { provider: "openai-compatible", baseUrl: `${this.#service}/v1`, model: name };
    const made = createModel(ModelConfig.parse(config), { clock: systemClock, logger: silentLogger } as never);
    this.#models.set(name, made);
    return made;
  }
}
