import type { Backbone } from "../../core/contract/ports/backbone.ts";
import type { DeadLetter, Outcome } from "../../core/contract/ports/bus.ts";
import type { FromChild, ToChild } from "./backbone-process.ts";
import { openForChild } from "./open-for-child.ts";
import type { TestMessage } from "./test-message.ts";
import { testSubject } from "./test-message.ts";

/** A child process: opens a backbone and executes the commands of its parent until it is killed. */
const send = (message: FromChild): void => {
  process.send?.(message);
};

const outcomes = new Map<number, (outcome: Outcome) => void>();
let tickets = 0;

const onDeadLetter = async (value: TestMessage | undefined, { id }: DeadLetter): Promise<void> =>
  send({ say: "dead letter", id, n: value?.n });

const execute = async (backbone: Backbone, message: ToChild): Promise<unknown> => {
  switch (message.do) {
    case "publish":
      return backbone.bus.publish(testSubject(message.subject), message.message, message.options);
    case "consume":
      await backbone.bus.consume(
        testSubject(message.subject),
        { ...message.options, onDeadLetter },
        (value, received) => {
          if (message.crashOn === received.id) process.kill(process.pid, "SIGKILL");
          const ticket = ++tickets;
          send({ say: "handling", ticket, id: received.id, attempt: received.attempt, n: value.n });
          return new Promise((resolve) => outcomes.set(ticket, resolve));
        },
      );
      return undefined;
    case "outcome":
      outcomes.get(message.ticket)?.(message.outcome);
      outcomes.delete(message.ticket);
      return undefined;
  }
};

const backbone = await openForChild(JSON.parse(process.argv[2] ?? ""));
process.on("message", (message: ToChild) => {
  execute(backbone, message).then(
    () => send({ say: "done", call: message.call }),
    (error: Error) => send({ say: "failed", call: message.call, error: error.message }),
  );
});
process.on("disconnect", () => process.exit(0));
send({ say: "ready" });
