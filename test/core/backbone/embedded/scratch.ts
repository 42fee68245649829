import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Database } from "../../../../core/backbone/embedded/file/database.ts";
import { EmbeddedBackbone } from "../../../../core/backbone/embedded/open-embedded-backbone.ts";
import type { Clock } from "../../../../core/contract/ports/clock.ts";
import { systemClock } from "../../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../../core/contract/ports/logger.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";

/** A temporary folder, removed after the test. */
export const scratchDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "mooring-embedded-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

export interface Opened {
  readonly database: Database;
  readonly backbone: EmbeddedBackbone;
}

export const openScratch = (dataDir: string, options: { clock?: Clock; logger?: Logger } = {}): Opened => {
  const { clock = systemClock, logger = silentLogger } = options;
  const database = new Database(dataDir);
  const backbone = new EmbeddedBackbone(database, { clock, logger, failurePauseMs: 5 });
  onTestFinished(() => backbone.close());
  return { database, backbone };
};

/** The value of a query's first row and column, read through the open database. */
export const readOne = (database: Database, sql: string): unknown => database.prepare<[unknown]>(sql).get()?.[0];
