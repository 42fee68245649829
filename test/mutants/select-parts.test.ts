import { describe, expect, it } from "vitest";
import { projectFiles } from "../setup/project-files.ts";
import { parts } from "./parts.ts";
import { scoreOf } from "./score.ts";
import { filesOf, selectParts } from "./select-parts.ts";

const all = projectFiles();
const named = (...files: string[]) =>
  selectParts({ kind: "files", files }).map(({ part, files: own }) => [part.name, own]);

describe("given the parts that mutation testing covers", () => {
  it("then every pattern matches at least one file", () => {
    for (const { mutate, tests } of parts) expect(filesOf([...mutate, ...tests], all).length).toBeGreaterThan(0);
  });

  it("when a file has moved, then its pattern is an error, also among others in braces", () => {
    expect(() => filesOf(["core/origin/no-such-file.ts"])).toThrow(/no file matches "core\/origin\/no-such-file.ts"/);
    expect(() => filesOf(["core/origin/{anchor,no-such-file}.ts"])).toThrow(
      /no file matches "core\/origin\/no-such-file.ts"/,
    );
    expect(filesOf(["core/origin/{anchor,index}.ts"])).toEqual(["core/origin/anchor.ts", "core/origin/index.ts"]);
  });

  it("then no test of a part starts processes", () => {
    const tests = parts.flatMap((part) => filesOf(part.tests, all));
    expect(tests.filter((file) => /^test\/(outside|e2e|faults|scale|bench)\/|deaths|crashes|nats/.test(file))).toEqual(
      [],
    );
  });

  it("when all parts are selected, then each runs with all its files", () => {
    const selected = selectParts({ kind: "all" });
    expect(selected.map(({ part }) => part)).toEqual(parts);
    expect(selected.find(({ part }) => part.name === "origin")?.files).toContain("core/origin/anchor.ts");
  });

  it("when files are selected, then only those of a part are mutated, each in its part", () => {
    expect(
      named("README.md", "core/origin/anchor.ts", "./gateway/relay/sending/ledger.ts", "core/turns/run-turn.ts"),
    ).toEqual([
      ["origin", ["core/origin/anchor.ts"]],
      ["ledger", ["gateway/relay/sending/ledger.ts"]],
    ]);
    expect(named("README.md")).toEqual([]);
  });

  it("when a selected part does not exist, then the error lists the names of all parts", () => {
    expect(selectParts({ kind: "parts", names: ["ledger"] }).map(({ part }) => part.name)).toEqual(["ledger"]);
    expect(() => selectParts({ kind: "parts", names: ["nothing"] })).toThrow(/"nothing": origin, delivery/);
  });
});

describe("given the results of the mutants of a part", () => {
  const mutants = (status: Parameters<typeof scoreOf>[1][number]["status"], count: number) =>
    Array.from({ length: count }, () => ({ status }));

  it("then a timeout counts as killed, code without a test as survived, and a skipped mutant not at all", () => {
    const seen = [mutants("Killed", 7), mutants("Timeout", 1), mutants("Survived", 1), mutants("NoCoverage", 1)];
    expect(scoreOf("x", [...seen.flat(), ...mutants("Ignored", 90), ...mutants("RuntimeError", 1)])).toEqual({
      part: "x",
      killed: 7,
      timedOut: 1,
      survived: 1,
      notCovered: 1,
      skipped: 91,
      score: 80,
    });
  });

  it("when a part has no mutants, then its score is 100 %", () => {
    expect(scoreOf("x", []).score).toBe(100);
  });
});
