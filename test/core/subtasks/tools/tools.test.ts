import { afterEach, describe, expect, it } from "vitest";
import type { ToolDescription } from "../../../../core/model/step.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { calls } from "../../../fakes/scripted-model.ts";
import { type CoreUnderTest, userMessage } from "../../core-under-test.ts";
import type { Asked, Roles } from "../delegating.ts";
import { counted, delegates, finals, Held, roles, spawns, startDelegating, untilFinals } from "../delegating.ts";

let core: CoreUnderTest;
const start = async (played: Roles) => {
  core = await startDelegating(roles(played));
};
afterEach(() => core.dispose());

const SUBTASK = "subtask-00000000";
/** The required and the optional arguments of each tool. */
const ARGUMENTS: Readonly<Record<string, readonly [required: string[], optional: string[]]>> = {
  spawn_subtask: [
    ["name", "prompt"],
    ["agentType", "blocking", "consolidate", "expectedOutput", "model", "targetFiles"],
  ],
  spawn_parallel_subtasks: [["tasks"], ["blocking", "consolidate"]],
  await_subtasks: [[], ["ids", "timeoutSeconds"]],
  message_subtask: [["content", "id", "type"], []],
  cancel_subtask: [["id"], []],
  list_subtasks: [[], []],
  notify_owner: [
    ["content", "type"],
    ["id", "priority", "waitSeconds"],
  ],
  complete_subtask: [
    ["output", "status"],
    ["error", "id", "metadata", "outputFile"],
  ],
};

describe("given the tools of delegation (S1)", () => {
  it("when a model gets them, then each has its arguments and a description", async () => {
    await start({ primary: delegates(["a"], "on it") });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    const shown = new Map(core.model.requests.items.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool])));
    const argumentsOf = ({ inputSchema }: ToolDescription) => {
      const { properties = {}, required = [] } = inputSchema as { properties?: object; required?: string[] };
      return [
        [...required].sort(),
        Object.keys(properties)
          .filter((name) => !required.includes(name))
          .sort(),
      ];
    };
    for (const [name, expected] of Object.entries(ARGUMENTS)) {
      const tool = shown.get(name) as ToolDescription;
      expect(argumentsOf(tool), name).toEqual(expected);
      expect(tool.description.length, name).toBeGreaterThan(40);
    }
  });

  const malformed: readonly (readonly [tool: string, input: Record<string, unknown>, named: string])[] = [
    ["spawn_subtask", { prompt: "no name" }, "at name"],
    ["spawn_subtask", { name: " \n", prompt: "x" }, "at name"],
    ["spawn_subtask", { name: "a", prompt: "" }, "at prompt"],
    ["spawn_subtask", { name: "a", prompt: "x", blocking: "yes" }, "at blocking"],
    ["spawn_subtask", { name: "a", prompt: "x", block: true }, '"block"'],
    ["spawn_subtask", { name: "a".repeat(81), prompt: "x" }, "at name"],
    ["spawn_subtask", { name: "a", prompt: "x".repeat(20_001) }, "at prompt"],
    ["spawn_subtask", { name: "a", prompt: "x", constructor: { blocking: true } }, '"constructor"'],
    ["spawn_parallel_subtasks", { tasks: [{ name: "a", prompt: "x" }, null] }, "at tasks[1]"],
    ["spawn_parallel_subtasks", { tasks: "three" }, "at tasks"],
    ["spawn_parallel_subtasks", { tasks: [] }, "at tasks"],
    ["spawn_parallel_subtasks", { tasks: [{ name: "a", prompt: "x", blocking: true }] }, "at tasks[0]"],
    ["await_subtasks", { ids: SUBTASK }, "at ids"],
    ["await_subtasks", { ids: [] }, "at ids"],
    ["await_subtasks", { timeoutSeconds: -1 }, "at timeoutSeconds"],
    ["await_subtasks", { timeoutSeconds: 1e9 }, "at timeoutSeconds"],
    ["await_subtasks", { ids: Array(101).fill(SUBTASK) }, "at ids"],
    ["await_subtasks", { timeout: 5 }, '"timeout"'],
    ["message_subtask", { id: SUBTASK, type: "shout", content: "x" }, "at type"],
    ["message_subtask", { id: SUBTASK, type: "answer", content: "" }, "at content"],
    ["cancel_subtask", {}, "at id"],
    ["cancel_subtask", { id: 7 }, "at id"],
  ];
  const ofSubagents: typeof malformed = [
    ["notify_owner", { type: "completion", content: "x" }, "at type"],
    ["notify_owner", { type: "question", content: "" }, "at content"],
    ["notify_owner", { type: "error", content: "x", priority: "urgent" }, "at priority"],
    ["notify_owner", { type: "error", content: "x".repeat(8_001) }, "at content"],
    ["complete_subtask", { status: "success", output: "x".repeat(60_001) }, "at output"],
    ["complete_subtask", { output: "x" }, "at status"],
    ["complete_subtask", { status: "timeout", output: "x" }, "at status"],
    ["complete_subtask", { status: "success", output: { a: 1 } }, "at output"],
    ["complete_subtask", { status: "success", output: "x", summary: "y" }, '"summary"'],
  ];
  const all = (bad: typeof malformed) => calls(...bad.map(([name, input], n) => ({ name, input, id: `call-${n}` })));
  const expectNamed = (outputs: readonly string[], bad: typeof malformed) => {
    expect(outputs).toHaveLength(bad.length);
    for (const [index, [tool, , named]] of bad.entries()) {
      expect(outputs[index], tool).toMatch(/^The arguments are invalid/);
      expect(outputs[index], tool).toContain(named);
    }
  };

  it("when their arguments are malformed, then each result names the argument, and no subtask starts", async () => {
    let results: readonly string[] = [];
    await start({
      primary: ({ outputs }) => {
        results = outputs;
        return outputs.length === 0 ? all(malformed) : "I see";
      },
    });
    await core.ask("m-1", "go");
    expectNamed(results, malformed);
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(finals(core.replies.items)).toHaveLength(1);
  });

  it("when a subagent sends malformed arguments, then each result names the argument, and it can correct them", async () => {
    let results: readonly string[] = [];
    await start({
      primary: delegates(["a"], "on it"),
      subagent: ({ outputs }) => {
        results = outputs;
        return outputs.length === 0 ? all(ofSubagents) : "done after all";
      },
      continuation: ({ text }) => text.split("\n").at(-1) ?? "",
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilFinals(core, 2))[1]?.markdown).toBe("done after all");
    expectNamed(results, ofSubagents);
  });
});

describe("given a subtask with all its arguments (S1)", () => {
  it("when its name has control characters, then people see it without them", async () => {
    await start({ primary: delegates(["ti\u0007des \u202Eof\u200B\tBergen"], "") });
    expect((await core.ask("m-1", "go")).markdown).toBe("Working on: ti des of Bergen");
  });

  it("when it runs, then its prompt has its role and the expected output", async () => {
    let shown: Asked | undefined;
    const task = { name: "a", prompt: "do a", agentType: "tide expert", expectedOutput: "a table of heights" };
    await start({
      primary: ({ outputs }) => (outputs.length === 0 ? calls({ name: "spawn_subtask", input: task }) : "on it"),
      subagent: (asked) => {
        shown = asked;
        return "done";
      },
    });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    expect(shown?.text).toBe("do a\n\nExpected output: a table of heights");
    expect(shown?.request.system).toContain("tide expert");
  });

  it("when it asks with a priority, then the prompt of its owner has the priority (S6)", async () => {
    const notifies = calls({
      name: "notify_owner",
      input: { type: "question", content: "which coast?", priority: "critical", waitSeconds: 0 },
    });
    const headings: string[] = [];
    await start({
      primary: delegates(["a"], "on it"),
      subagent: ({ outputs }) => (outputs.length === 0 ? notifies : slow.answer),
      continuation: ({ text }) => {
        headings.push(text.split("\n")[0] ?? "");
        return "Which coast?";
      },
    });
    const slow = new Held();
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    slow.give("done");
    await untilFinals(core, 3);
    expect(headings[0]).toMatch(/^\[question from subtask-[0-9a-f]{8} "a", priority critical\]$/);
  });
});

describe("given a turn that awaits its subtasks (S1)", () => {
  const awaits = (input: Record<string, unknown> = {}) => calls({ name: "await_subtasks", input });
  const lastOf = ({ outputs }: Asked) => outputs.at(-1) ?? "";

  it("when some have not ended at the timeout, then it gets the other results, and the rest in a later turn (B2)", async () => {
    const slow = new Held();
    await start({
      primary: (asked) =>
        [spawns(["quick", "slow"]), awaits({ timeoutSeconds: 20 })][asked.outputs.length] ?? lastOf(asked),
      subagent: ({ text }) => (text === "do slow" ? slow.answer : "quickly done"),
      continuation: ({ text }) => text.slice(text.indexOf("### ")),
    });
    const asking = core.ask("m-1", "go");
    await slow.asked;
    // The wait polls every three seconds, because signals can be lost.
    for (const ms of [3_000, 3_000, 3_000, 3_000, 3_000, 3_000, 2_000]) await core.clock.passNext(ms);
    const { markdown } = await asking;
    expect(markdown).toMatch(/^### quick \(.*\): completed\nquickly done\n\nStill running: subtask-\w+ \(slow\)$/);
    slow.give("done at last");
    expect((await untilFinals(core, 2))[1]?.markdown).toMatch(/^### slow \(.*\): completed\ndone at last$/);
  });

  it("when nothing is outstanding, then the call returns at once", async () => {
    await start({ primary: ({ outputs }) => outputs[0] ?? awaits() });
    expect((await core.ask("m-1", "go")).markdown).toMatch(/^There is nothing to wait for/);
  });

  it("when it awaits the same subtasks twice, then it gets the results again, and no later turn reports them", async () => {
    const ids = ({ outputs }: Asked) => outputs[0]?.match(/subtask-[0-9a-f]{8}/g) ?? [];
    await start({
      primary: (asked) =>
        [spawns(["a", "b"]), awaits(), awaits({ ids: [...ids(asked), ...ids(asked)] })][asked.outputs.length] ??
        lastOf(asked),
    });
    const { markdown } = await core.ask("m-1", "go");
    expect(markdown.match(/^### \w+ /gm)).toEqual(["### a ", "### b "]);
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(finals(core.replies.items)).toHaveLength(1);
  });

  it("when it awaits a subtask that reports alone and has enqueued its turn, then the result is not reported again (S7)", async () => {
    const logger = new RecordingLogger();
    const isEnqueued = () => logger.lines.until((lines) => lines.some(({ message }) => message === "turn enqueued"));
    core = await startDelegating(
      roles({
        primary: ({ outputs }) =>
          [spawns(["a"], { consolidate: false }), () => isEnqueued().then(() => awaits())][outputs.length] ??
          "I have it",
        continuation: () => "reported again",
      }),
      { logger },
    );
    await core.ask("m-1", "go");
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(finals(core.replies.items).map(({ markdown }) => markdown)).toEqual(["I have it"]);
  });

  it("when the turn is retried after the other results were answered, then it gets the results that it had returned (B2, B5)", async () => {
    const slow = new Held();
    let tools = 0;
    core = await startDelegating(
      roles({
        primary: (asked) =>
          asked.text === "go"
            ? delegates(["quick", "slow"], "on it")(asked)
            : (asked.outputs[0] ?? awaits({ timeoutSeconds: 0 })),
        subagent: ({ text }) => (text === "do slow" ? slow.answer : "quickly done"),
        continuation: ({ text }) => text.slice(text.indexOf("### ")),
      }),
      {
        checkpoint: async (name) => {
          if (name !== "tool.after" || ++tools !== 2) return;
          slow.give("done at last");
          await counted(core, "batches_total mooring complete", 1);
          throw new Error("simulated crash");
        },
      },
    );
    await core.ask("m-1", "go");
    await counted(core, "subtasks_total mooring completed", 1);
    await slow.asked;
    await core.receive(userMessage("m-2", "and?"));
    await core.clock.passNext(2);
    expect((await core.replyTo("m-2")).markdown).toMatch(/^### quick \(.*\): completed\nquickly done$/);
    expect((await untilFinals(core, 3))[2]?.markdown).toMatch(/^### slow \(.*\): completed\ndone at last$/);
  });
});
