import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { peerPromises } from "./peer-promises.ts";

peerPromises(embeddedHarness);
