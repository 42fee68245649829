import { randomUUID } from "node:crypto";
import type { Backbone } from "../contract/backbone.ts";
import type { Consumer } from "../contract/bus.ts";
import type { Clock, Timer } from "../contract/clock.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Agent } from "../turns/agent.ts";

/** Gateways believe a word about the load for a little longer than this. */
export const TELL_LOAD_EVERY_MS = 2_000;

/** Tells the gateways how many messages wait here, as long as some do: they take no more when it is too many. */
export const tellLoad = (
  { backbone, clock }: { readonly backbone: Backbone; readonly clock: Clock },
  { tenant, name }: Pick<Agent, "tenant" | "name">,
): Consumer => {
  const process = randomUUID();
  const { userMessage, intakeLoad } = subjectsOf(tenant);
  const waitingHere = () =>
    backbone
      .queues()
      .filter(({ subject }) => subject === userMessage(name).name)
      .reduce((sum, { waiting }) => sum + waiting, 0);
  let timer: Timer | undefined;
  const tell = () => {
    const waiting = waitingHere();
    if (waiting > 0) backbone.bus.signal(intakeLoad(name), { process, waiting });
    timer = clock.after(TELL_LOAD_EVERY_MS, tell);
  };
  tell();
  return { close: async () => timer?.cancel() };
};
