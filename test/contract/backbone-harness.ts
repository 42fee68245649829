import type { Backbone } from "../../core/contract/ports/backbone.ts";
import type { SkewedClock } from "../fakes/skewed-clock.ts";
import type { BackboneProcess } from "./backbone-process.ts";

/** Sets up a backbone for the contract suites. */
export interface BackboneHarness {
  readonly name: string;
  /** Several processes can share it, so that another running process takes over. Otherwise the next process does. */
  readonly manyProcesses: boolean;
  /** The backbone depends on a server that a test can kill. */
  readonly hasServer: boolean;
  deploy(): Promise<Deployment>;
}

/** One set of data, and the backbones and processes that a test has opened on it. */
export interface Deployment {
  readonly clock: SkewedClock;
  /** A second backbone where several processes can share the data; otherwise the same one. */
  open(): Promise<Backbone>;
  /** Closes all backbones of this deployment, so that a child process can open the data. */
  closeAll(): Promise<void>;
  /** A child process with this backbone open, which the test controls and kills. */
  spawn(): Promise<BackboneProcess>;
  /** Kills the server the backbone depends on (where it has one) and starts it again on the same data. */
  restartServer(): Promise<void>;
  dispose(): Promise<void>;
}
