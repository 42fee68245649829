import { describe, expect, it } from "vitest";
import { typedCommand } from "../../../adapters/contract/typed-command.ts";

describe("given what a person types (I3)", () => {
  it.each([
    ["help", { name: "help", args: "" }],
    [" Why? ", { name: "why", args: "" }],
    ["/why r-1/final", { name: "why", args: "r-1/final" }],
    ["!quiet 22:00 to 7:00", { name: "quiet", args: "22:00 to 7:00" }],
    ["cancel subtask-1a2b3c4d", { name: "cancel", args: "subtask-1a2b3c4d" }],
    ["link 482-113", { name: "link", args: "482-113" }],
  ])("when it is %j, then it is a command", (text, command) => {
    expect(typedCommand(text)).toEqual(command);
  });

  it.each(["new ideas, please", "link these two", "why is the sky blue?", "cancel 2 meetings", "newer", "/deploy", ""])(
    "when it is %j, then it is a message",
    (text) => {
      expect(typedCommand(text)).toBeUndefined();
    },
  );
});
