import type { Config } from "../../config/index.ts";
import {
  type AgentModel,
  createModel,
  isAgentElsewhere,
  type ModelDeps,
  ReplaceableModel,
} from "../../core/model/index.ts";

type AgentSettings = Config["agents"][number];
type Create = (settings: AgentSettings, deps: ModelDeps) => AgentModel;

/** The models of an agent as its configuration names them, in a form that a reload can replace. */
export class AgentModels {
  readonly #created: {
    readonly agent: string;
    readonly model: ReplaceableModel;
    again(next: AgentSettings): AgentModel;
  }[] = [];

  /** The model of turns, with its fallbacks. */
  ofTurns(settings: AgentSettings): (deps: ModelDeps) => AgentModel {
    const create: Create = ({ model, fallbackModels }, deps) => createModel(model, deps, fallbackModels);
    // An agent elsewhere keeps its tasks, so it changes with the agents only.
    if (isAgentElsewhere(settings.model)) return (deps) => create(settings, deps);
    return (deps) => this.#replaceable(settings, deps, create);
  }

  /** The models that subtasks can choose, by name. */
  ofSubtasks(settings: AgentSettings): Record<string, (deps: ModelDeps) => AgentModel> {
    return Object.fromEntries(
      Object.entries(settings.subtaskModels).map(([name, first]) => {
        const create: Create = ({ subtaskModels }, deps) => createModel(subtaskModels[name] ?? first, deps);
        return [name, (deps: ModelDeps) => this.#replaceable(settings, deps, create)];
      }),
    );
  }

  /** The next request to each model uses the new settings. Throws before any change if a model cannot be created. */
  replace({ agents }: Config): void {
    const next = this.#created.flatMap(({ agent, model, again }) => {
      const settings = agents.find(({ name }) => name === agent);
      return settings ? [{ model, created: again(settings) }] : [];
    });
    for (const { model, created } of next) model.replace(created);
  }

  #replaceable(settings: AgentSettings, deps: ModelDeps, create: Create): ReplaceableModel {
    const model = new ReplaceableModel(create(settings, deps));
    this.#created.push({ agent: settings.name, model, again: (next) => create(next, deps) });
    return model;
  }
}
