import { z } from "zod";
import type { AgentReply, ReplyAction } from "../../../core/contract/messages/agent-reply.ts";
import type { Tool, ToolContext } from "../../../core/contract/tool.ts";
import { Rights } from "../../../core/rights/rights.ts";
import { Recorder } from "../../fakes/recorder.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import { type Answer, calls } from "../../fakes/scripted-model.ts";
import { CoreUnderTest, type TestOptions, userMessage } from "../core-under-test.ts";
import { type Asked, type Roles, roles } from "../subtasks/delegating.ts";

export const TOOL = "mail__send";
export const MAIL = { to: "bob@example.org", text: "hello" };
export const ROOM = { channel: "web", room: "room-9", kind: "shared" } as const;
export const GRANTED = new Rights({ member: ["default", "tool:mail__*"] }, { operator: ["web:olga"] });

/** One run of the tool. */
export interface Run {
  readonly input: unknown;
  readonly context: ToolContext;
}

export const mailTool = (runs: Recorder<Run>, rest: Partial<Tool> = {}): Tool => ({
  name: TOOL,
  description: "Sends an e-mail.",
  input: z.looseObject({}),
  needs: `tool:${TOOL}`,
  repeatable: false,
  approval: { isDestructive: false, definition: "definition-1" },
  run: async (input, context) => {
    runs.add({ input, context });
    return "sent";
  },
  ...rest,
});

/** Calls the tool in the first step and reports what it returned. */
export const sendsMail =
  (input: unknown = MAIL) =>
  ({ outputs }: Asked): Answer =>
    outputs.length === 0 ? calls({ name: TOOL, input }) : "I asked.";

interface Options extends TestOptions {
  readonly roles?: Partial<Roles>;
  readonly tool?: Partial<Tool>;
}

/** Core with a tool that asks before it runs. */
export class ApprovalsUnderTest {
  readonly core: CoreUnderTest;
  readonly runs: Recorder<Run>;
  #presses = 0;

  private constructor(core: CoreUnderTest, runs: Recorder<Run>) {
    this.core = core;
    this.runs = runs;
  }

  static async start({ roles: given = {}, tool = {}, ...options }: Options = {}): Promise<ApprovalsUnderTest> {
    const runs = new Recorder<Run>();
    const script = roles({
      primary: sendsMail(),
      continuation: ({ text }) => `outcome: ${text.split("\n").slice(2).join(" ")}`,
      ...given,
    });
    const core = await CoreUnderTest.start(script, {
      tools: [mailTool(runs, tool)],
      ...options,
      agent: { rights: GRANTED, ...options.agent },
    });
    return new ApprovalsUnderTest(core, runs);
  }

  /** Asks for the mail and resolves to the request that people see. */
  async ask(id = "m-1", rest: MessageFields = {}): Promise<AgentReply> {
    const before = this.requests.length;
    await this.core.ask(id, "send the mail", rest);
    return this.request(before);
  }

  /** The n-th request. */
  async request(index: number): Promise<AgentReply> {
    await this.core.replies.until(() => this.requests.length > index);
    return this.requests[index] as AgentReply;
  }

  get requests(): AgentReply[] {
    return this.core.replies.items.filter(({ id }) => /^approval-\w+\/request$/.test(id));
  }

  /** Presses a button of a request, and resolves to the answer for the person. */
  press(request: AgentReply, label: string, rest: MessageFields = {}): Promise<AgentReply> {
    const action = request.actions?.find((one) => one.label === label) as ReplyAction;
    return this.command(action.value ?? "", { conversation: request.audience.conversation, ...rest });
  }

  async command(args: string, rest: MessageFields = {}): Promise<AgentReply> {
    const id = `press-${++this.#presses}`;
    await this.core.receive(userMessage(id, `/approve ${args}`, { ...rest, command: { name: "approve", args } }));
    return this.core.replyTo(id);
  }

  async decisionOf(request: AgentReply): Promise<AgentReply> {
    const id = request.id.replace("/request", "/decision");
    const replies = await this.core.replies.until((all) => all.some((reply) => reply.id === id));
    return replies.find((reply) => reply.id === id) as AgentReply;
  }

  /** The n-th proactive answer. */
  async final(nth = 1): Promise<AgentReply> {
    const isFinal = ({ kind, correlationId }: AgentReply) => kind === "final" && correlationId === undefined;
    const replies = await this.core.replies.until((all) => all.filter(isFinal).length >= nth);
    return replies.filter(isFinal)[nth - 1] as AgentReply;
  }

  get finals(): AgentReply[] {
    return this.core.replies.items.filter(({ kind, correlationId }) => kind === "final" && correlationId === undefined);
  }
}

export const idOf = ({ id }: AgentReply): string => id.replace("/request", "");
