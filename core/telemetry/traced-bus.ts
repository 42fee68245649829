import { AppError } from "../contract/app-error.ts";
import { AgentReply } from "../contract/messages/agent-reply.ts";
import { UserMessage } from "../contract/messages/user-message.ts";
import type { Bus, Handler, Outcome } from "../contract/ports/bus.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Subject } from "../contract/ports/subject.ts";
import type { SpanRecord, Tracer } from "../contract/ports/telemetry.ts";
import { type BusOperation, messageSpan, replySpan, runSpan, type TracedMessage } from "./message-spans.ts";

interface TracedBusOptions {
  readonly tracer: Tracer;
  readonly clock: Clock;
  /** Name of the bus in traces. */
  readonly system: string;
}

/** Records a span for each message to an agent and each reply. Without telemetry the bus is used directly. */
export const tracedBus = (bus: Bus, { tracer, clock, system }: TracedBusOptions): Bus => {
  const traced = async <R>(
    { name: destination }: Subject<unknown>,
    work: () => Promise<R>,
    span: (operation: BusOperation, result?: R) => SpanRecord | undefined,
  ): Promise<R> => {
    const startedAt = clock.now();
    const operation = (error?: string): BusOperation => ({
      system,
      destination,
      startedAt,
      endedAt: clock.now(),
      error,
    });
    const record = (found: SpanRecord | undefined) => found && tracer.record(found);
    try {
      const result = await work();
      record(span(operation(), result));
      return result;
    } catch (error) {
      record(span(operation(errorType(error))));
      throw error;
    }
  };
  return {
    publish(subject, message, options) {
      const send = () => bus.publish(subject, message, options);
      const toAgent = messageTo(subject, message);
      if (toAgent !== undefined) return traced(subject, send, (operation) => messageSpan(toAgent, operation));
      const reply = replyOn(subject, message);
      return reply === undefined ? send() : traced(subject, send, (operation) => replySpan(reply, operation));
    },
    consume<T>(subject: Subject<T>, options: Parameters<Bus["consume"]>[1], handle: Handler<T>) {
      return bus.consume<T>(subject, options, (message, received) => {
        const run = () => handle(message, received);
        const toAgent = messageTo(subject, message);
        if (toAgent === undefined) return run();
        const about = { number: received.attempt, durable: options.durable };
        return traced<Outcome>(subject, run, (operation, outcome) =>
          outcome && "wait" in outcome ? undefined : runSpan(toAgent, { ...about, outcome }, operation),
        );
      });
    },
    signal: (subject, message) => bus.signal(subject, message),
    listen: (subject, handle) => bus.listen(subject, handle),
  };
};

/** Recognised by the schema of the subject. The report of a shown reply gets no span: it starts no turn. */
const messageTo = (subject: Subject<unknown>, message: unknown): TracedMessage | undefined => {
  if ((subject.schema as unknown) !== UserMessage) return undefined;
  const toAgent = message as UserMessage;
  return toAgent.kind === "shown" ? undefined : toAgent;
};

const replyOn = (subject: Subject<unknown>, message: unknown): AgentReply | undefined =>
  (subject.schema as unknown) === AgentReply ? (message as AgentReply) : undefined;

const errorType = (error: unknown): string => (error instanceof AppError ? error.code : "internal");
