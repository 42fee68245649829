import { TaskState } from "@a2a-js/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calls } from "../../fakes/scripted-model.ts";
import { A2aUnderTest, answerOf, asTask, says } from "./a2a-under-test.ts";

let server: A2aUnderTest;
beforeAll(async () => {
  server = await A2aUnderTest.start(
    ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "user" && last.text === "How deep?")
        return calls({ name: "ask_caller", input: { question: "Where?" } });
      return "Eleven metres.";
    },
    { kind: "nats" },
  );
}, 60_000);
afterAll(() => server.dispose());

describe("given a gateway and a core that share only NATS", () => {
  it("when a caller asks, answers a question and lists its tasks, then it works as in one process", {
    timeout: 60_000,
  }, async () => {
    const client = await server.client();
    const asked = asTask(await client.sendMessage(says("How deep?")));
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const { id: taskId, contextId } = asked;
    const states: (string | undefined)[] = [];
    for await (const { payload } of client.sendMessageStream(says("Bergen", { taskId, contextId })))
      states.push(payload?.$case);
    expect([states[0], states.at(-1)]).toEqual(["task", "statusUpdate"]);
    expect(answerOf(await client.getTask({ tenant: "", id: taskId }))).toBe("Eleven metres.");
  });
});
