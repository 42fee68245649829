import { describe, expect, it } from "vitest";
import { textCommand } from "../../../adapters/contract/text-command.ts";

describe("given a channel without native commands (I3)", () => {
  it.each([
    ["/help", { name: "help", args: "" }],
    ["  /Cancel   subtask-1a2b3c4d ", { name: "cancel", args: "subtask-1a2b3c4d" }],
    ["/quiet 22:00\n07:00", { name: "quiet", args: "22:00\n07:00" }],
  ])("when the text is %j, then it is a command", (text, command) => {
    expect(textCommand(text)).toEqual(command);
  });

  it.each(["help", "/", "//help", "/usr/bin", "/ help", "see /help", "/1", `/${"x".repeat(40)}`])(
    "when the text is %j, then it is a message",
    (text) => expect(textCommand(text)).toBeUndefined(),
  );

  it.each([
    ["link 7KQ2M-XW94T", "7KQ2M-XW94T"],
    [" Link  7KQ2M-XW94T\n", "7KQ2M-XW94T"],
    ["`link 7KQ2M-XW94T`", "7KQ2M-XW94T"],
    ["link confirm 0123456789abcdef", "confirm 0123456789abcdef"],
    ["link refuse 0123456789abcdef", "refuse 0123456789abcdef"],
  ])("when the text is %j, as printed on another channel, then it is the link command (I1)", (text, args) => {
    expect(textCommand(text)).toEqual({ name: "link", args });
  });

  it.each([
    "link",
    "link ready-stark",
    "link 7KQ2M",
    "please link 7KQ2M-XW94T",
    "link confirm it",
    "link 7KQ2M-XW94T?",
  ])("when the text is %j, then it stays a message", (text) => expect(textCommand(text)).toBeUndefined());
});
