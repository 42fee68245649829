import type { Synthetic } from "../../core/contract/messages/synthetic.ts";
import type {
  CommandLine,
  CommandMessage,
  EditMessage,
  FromPerson,
  PersonMessage,
  ShownMessage,
  ShownReply,
  SyntheticMessage,
  UserMessage,
} from "../../core/contract/messages/user-message.ts";

/** Fields of a message; a field that only one kind has determines the kind. */
export type MessageFields = Partial<Omit<PersonMessage, "kind">> & {
  readonly kind?: "message" | "edit";
  readonly command?: CommandLine;
  readonly unseen?: boolean;
  readonly shown?: ShownReply;
  readonly synthetic?: Synthetic;
};

type Built<F> = F extends { synthetic: Synthetic }
  ? SyntheticMessage
  : F extends { shown: ShownReply }
    ? ShownMessage
    : F extends { command: CommandLine }
      ? CommandMessage
      : F extends { kind: "edit" }
        ? EditMessage
        : "command" extends keyof F
          ? FromPerson
          : PersonMessage;

/** A message to the agent, by default from Ann. */
export const sampleMessage = <F extends MessageFields>(fields: F): Built<F> =>
  ({
    kind: kindOf(fields),
    id: "m-1",
    tenant: "default",
    agent: "mooring",
    conversation: { channel: "web", room: "room-1", kind: "private" },
    account: { id: "ann", name: "Ann" },
    text: "",
    attachments: [],
    sentAt: "2026-03-10T21:14:00.000Z",
    traceId: `trace-${fields.id ?? "m-1"}`,
    ...fields,
  }) as unknown as Built<F>;

const kindOf = ({ synthetic, shown, command }: MessageFields): UserMessage["kind"] => {
  if (synthetic !== undefined) return "synthetic";
  if (shown !== undefined) return "shown";
  return command === undefined ? "message" : "command";
};

export const commandIn = (message: UserMessage | undefined): CommandLine | undefined =>
  message?.kind === "command" ? message.command : undefined;

/** Narrows a recorded message to one kind, and fails the test for another kind. */
export const ofKind = <K extends UserMessage["kind"]>(message: UserMessage | undefined, kind: K) => {
  if (message?.kind !== kind) throw new Error(`expected a message of kind ${kind}, got ${message?.kind}`);
  return message as Extract<UserMessage, { kind: K }>;
};
