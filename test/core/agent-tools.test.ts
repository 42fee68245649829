import { describe, expect, it } from "vitest";
import type { Tool } from "../../core/contract/tool.ts";
import { builtInTools, ownTools } from "../fakes/built-in-tools.ts";

const namesWith = (has: (tool: Tool) => boolean | undefined): string[] =>
  builtInTools.filter((tool) => has(tool) === true).map(({ name }) => name);

describe("given the built-in tools", () => {
  it("then their names are unique and their order is fixed, because providers cache it", () => {
    const names = builtInTools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(ownTools.map(({ name }) => name)).toEqual([
      "nothing_to_say",
      "save_to_working_memory",
      "get_from_working_memory",
      "list_working_memory",
      "delete_from_working_memory",
      "remember",
      "recall",
      "forget",
      "read_attachment",
      "spawn_subtask",
      "spawn_parallel_subtasks",
      "await_subtasks",
      "message_subtask",
      "cancel_subtask",
      "list_subtasks",
      "list_changed_files",
      "show_diff",
      "discard_workspace",
      "schedule_task",
      "list_schedules",
      "cancel_schedule",
      "run_schedule_now",
      "send_message_to_agent",
    ]);
  });

  it("then those that may add work to the turn's batch say which kind (B4)", () => {
    expect(namesWith(({ delegates }) => delegates === "subtask")).toEqual([
      "spawn_subtask",
      "spawn_parallel_subtasks",
      "message_subtask",
    ]);
    expect(namesWith(({ delegates }) => delegates === "peer-call")).toEqual(["send_message_to_agent"]);
  });

  it("then subagents at the maximum depth lose those that delegate, manage subtasks or schedule a run (S5)", () => {
    expect(namesWith(({ needsDepth }) => needsDepth)).toEqual([
      "spawn_subtask",
      "spawn_parallel_subtasks",
      "await_subtasks",
      "message_subtask",
      "cancel_subtask",
      "list_subtasks",
      "schedule_task",
      "run_schedule_now",
    ]);
  });

  it("then subagents cannot choose silence or change the memory, and turns for other agents cannot touch people's memory and schedules (A5, M4)", () => {
    expect(namesWith(({ isForOwner }) => isForOwner)).toEqual([
      "nothing_to_say",
      "remember",
      "forget",
      "read_attachment",
    ]);
    expect(namesWith(({ isForPeople }) => isForPeople)).toEqual([
      "remember",
      "recall",
      "forget",
      "schedule_task",
      "list_schedules",
      "cancel_schedule",
      "run_schedule_now",
    ]);
  });

  it("then the names that people must not read are flagged (A6)", () => {
    expect(namesWith(({ internal }) => internal)).toEqual([
      "nothing_to_say",
      "save_to_working_memory",
      "get_from_working_memory",
      "list_working_memory",
      "delete_from_working_memory",
      "send_message_to_agent",
    ]);
  });
});
