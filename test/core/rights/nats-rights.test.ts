import { natsHarness } from "../../contract/nats-harness.ts";
import { rightsProperty } from "./rights-property.ts";

rightsProperty(natsHarness, 12);
