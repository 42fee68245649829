import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { projectFiles, projectRoot } from "../setup/project-files.ts";

const declaring = (name: string): string[] =>
  projectFiles()
    .filter((path) => /^(core|gateway)\/.*\.tsx?$/.test(path))
    .filter((path) =>
      new RegExp(`^export (?:interface|type|const) ${name}\\b`, "m").test(
        readFileSync(`${projectRoot}${path}`, "utf8"),
      ),
    );

describe("given the types of audit entries and of schedules that are created", () => {
  it.each(["AuditEntry", "NewSchedule", "ScheduleRequest"])("then only one file declares %s", (name) => {
    expect(declaring(name)).toHaveLength(1);
  });
});

describe("given the sources of the admin API", () => {
  it("then every route is registered by the typed helpers of admin-request.ts", () => {
    const registering = projectFiles()
      .filter((path) => /^gateway\/admin\/.*\.ts$/.test(path))
      .filter((path) =>
        /\b(?:scope|app)\.(?:get|post|put|patch|delete|route)\b/.test(readFileSync(`${projectRoot}${path}`, "utf8")),
      );
    expect(registering).toEqual(["gateway/admin/admin-request.ts"]);
  });
});
