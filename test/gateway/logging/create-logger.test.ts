import { describe, expect, it } from "vitest";
import { createLogger } from "../../../gateway/logging/create-logger.ts";

const logging = (level: "debug" | "info") => {
  const lines: string[] = [];
  return { lines, logger: createLogger(level, { write: (line) => void lines.push(line) }) };
};

describe("given the log", () => {
  it("when fields hold secrets or message text, then the line does not (U4, F24)", () => {
    const { lines, logger } = logging("info");
    const error = Object.assign(new Error("refused"), { requestBody: "canary-body", body: "canary-body" });
    logger.child({ channel: "slack", botToken: "canary-child" }).info(
      {
        token: "canary-top",
        config: { apiKey: "canary-nested", model: "m1" },
        text: "canary-text",
        error,
        cause: error,
      },
      "said",
    );
    expect(lines.join("")).not.toContain("canary");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      msg: "said",
      channel: "slack",
      config: { apiKey: "[hidden]", model: "m1" },
      error: { message: "refused" },
    });
  });

  it("when a line is below the level, then it is not written", () => {
    const { lines, logger } = logging("info");
    logger.debug({}, "detail");
    expect(lines).toEqual([]);
  });
});
