import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { rightsProperty } from "./rights-property.ts";

rightsProperty(embeddedHarness, 40);
