import { randomUUID } from "node:crypto";
import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Backbone } from "../contract/ports/backbone.ts";
import type { Consumer } from "../contract/ports/bus.ts";
import type { Clock, Timer } from "../contract/ports/clock.ts";
import type { Agent } from "../turns/index.ts";

/** Gateways treat a report as current for a little longer than this. */
export const REPORT_LOAD_EVERY_MS = 2_000;

/** Polling interval; a queue exceeds its limit at most by the messages that arrive within it. */
export const POLL_LOAD_EVERY_MS = 200;

/** Reports the number of waiting messages to the gateways, which apply backpressure when it is too high. */
export const publishLoad = (
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
  let reported = { waiting: 0, at: clock.monotonic() };
  let timer: Timer | undefined;
  const poll = () => {
    const now = { waiting: waitingHere(), at: clock.monotonic() };
    const isStale = now.at - reported.at >= REPORT_LOAD_EVERY_MS;
    if (now.waiting !== reported.waiting || (isStale && now.waiting > 0)) {
      backbone.bus.signal(intakeLoad(name), { process, waiting: now.waiting });
      reported = now;
    }
    timer = clock.after(POLL_LOAD_EVERY_MS, poll);
  };
  poll();
  return { close: async () => timer?.cancel() };
};
