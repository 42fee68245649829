import { Task } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { updateOfTask } from "../../../../core/a2a/client/task-update.ts";

const asked = (messageId: string, timestamp?: string) =>
  updateOfTask(
    Task.fromJSON({
      id: "task-1",
      contextId: "context-1",
      status: {
        state: "TASK_STATE_INPUT_REQUIRED",
        message: { messageId, role: "ROLE_AGENT", parts: [{ text: "which harbour?" }] },
        ...(timestamp !== undefined && { timestamp }),
      },
    }),
  ).key;

describe("given a remote agent whose statuses have no timestamps (L1)", () => {
  it("when it repeats a question in another message, then that is a new update, and the same message is a duplicate", () => {
    expect(asked("m-2")).not.toBe(asked("m-1"));
    expect(asked("m-1")).toBe(asked("m-1"));
  });
});

describe("given a remote agent whose statuses have timestamps", () => {
  it("when the timestamp is the same, then it is a duplicate, even with another message id", () => {
    expect(asked("m-2", "2026-03-10T21:14:00.000Z")).toBe(asked("m-1", "2026-03-10T21:14:00.000Z"));
  });
});
