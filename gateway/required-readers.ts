import type { Config } from "../config/config.ts";
import type { RequiredReader } from "../core/contract/backbone.ts";
import { subjectsOf } from "../core/contract/subjects.ts";
import { INTAKE_DURABLE } from "../core/intake/index.ts";

/** The queues that a gateway publishes to on behalf of people: without a reader their messages would stay unanswered. */
export const requiredReaders = ({ agents }: Pick<Config, "agents">): readonly RequiredReader[] =>
  agents.map(({ name, tenant }) => ({
    subject: subjectsOf(tenant).userMessage(name),
    durable: INTAKE_DURABLE,
    label: `messages to agent "${name}"`,
  }));
