import { randomCrashes } from "./random-crashes.ts";

randomCrashes("nats");
