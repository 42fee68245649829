import { delegationLives } from "./delegation-lives.ts";

delegationLives("nats", 1);
