import { z } from "zod";
import { MIN_PART_LENGTH } from "../../adapters/contract/markdown/split-markdown.ts";

const callable = z.custom<unknown>((value) => typeof value === "function", { error: "must be a function" });
const milliseconds = z.number().positive();

const Capabilities = z.looseObject({
  connection: z.enum(["shared", "exclusive"]),
  resend: z.enum(["log", "idempotent", "repeats"]),
  maxPartLength: z.number().min(MIN_PART_LENGTH).optional(),
  measure: callable.optional(),
  anchorLength: callable.optional(),
  commandPrefix: z.string().min(1).optional(),
  threadCommandPrefix: z.string().min(1).optional(),
  editEveryMs: milliseconds.optional(),
  streamEveryMs: milliseconds.optional(),
  reactions: z.union([z.boolean(), z.enum(["seen", "working"])]).optional(),
});

const Hook = z.looseObject({
  method: z.enum(["GET", "POST", "OPTIONS"]),
  // Without the signs that a router gives a meaning.
  path: z.string().regex(/^[\w-]+([./][\w-]+)*$/, { error: "must be letters, digits, -, _, . and /" }),
  maxBodyBytes: z.int().nonnegative(),
  handle: callable,
  refuse: callable.optional(),
});

const Webhooks = z
  .array(Hook)
  .refine((hooks) => new Set(hooks.map(({ method, path }) => `${method} ${path}`)).size === hooks.length, {
    error: "has two entries with the same method and path",
  });

const Socket = z.looseObject({ protocol: z.string().min(1), maxFrameBytes: z.int().positive() });

/** The abilities that a method stands for. */
const METHODS = [
  ...["onSignal", "refresh", "edit", "showTyping", "permalink", "find", "deliverOnlyTo", "privateConversation"],
  ...["isMember", "unreachable", "fetchAttachment", "health", "checkLive", "limitsIn", "reportMovesTo", "markSeen"],
  ...["markWorking", "unmarkWorking"],
];

/** Why a value is not an adapter of this contract; undefined if it is one. The compiler checks only adapters in TypeScript. */
export const adapterProblem = (value: unknown, channel: string): string | undefined => {
  if (typeof value !== "object" || value === null) return '"create" must resolve to an adapter';
  const Shape = z.looseObject({
    channel: z.literal(channel, { error: `must be the channel of the context, "${channel}"` }),
    capabilities: Capabilities,
    start: callable,
    deliver: callable,
    stop: callable,
    ...Object.fromEntries(METHODS.filter((name) => name in value).map((name) => [name, callable])),
    ...("webhooks" in value && { webhooks: Webhooks }),
    ...("socket" in value && { socket: Socket, admit: callable, connect: callable }),
  });
  const keys = [
    "channel",
    "capabilities",
    "start",
    "deliver",
    "stop",
    "webhooks",
    "socket",
    "admit",
    "connect",
    ...METHODS,
  ];
  // Read one by one, because methods of a class are not its own properties.
  const members = Object.fromEntries(keys.filter((key) => key in value).map((key) => [key, Reflect.get(value, key)]));
  const [issue] = Shape.safeParse(members).error?.issues ?? [];
  return issue === undefined ? undefined : `the adapter's "${issue.path.join(".")}" ${wording(issue.message)}`;
};

const wording = (message: string): string =>
  message.startsWith("must") || message.startsWith("has") ? message : `is wrong: ${message}`;
