import type { Backbone } from "../../core/contract/backbone.ts";
import type { SkewedClock } from "../fakes/skewed-clock.ts";
import type { BackboneProcess } from "./backbone-process.ts";

/** How a backbone is put up for the contract suites. */
export interface BackboneHarness {
  readonly name: string;
  /** Several processes may share it: then a survivor takes over. Otherwise the next process does. */
  readonly manyProcesses: boolean;
  /** It depends on a server, which may die. */
  readonly hasServer: boolean;
  deploy(): Promise<Deployment>;
}

/** One place with data, and everything that a test opened on it. */
export interface Deployment {
  readonly clock: SkewedClock;
  /** Like another process where the backbone allows several; the same one again where it does not. */
  open(): Promise<Backbone>;
  /** Closes all that was opened here, so that a process of its own may open it. */
  closeAll(): Promise<void>;
  /** A real process with this backbone open, to be driven and killed. */
  spawn(): Promise<BackboneProcess>;
  /** Kills the server the backbone depends on (where it has one) and starts it again on the same data. */
  restartServer(): Promise<void>;
  dispose(): Promise<void>;
}
