import { randomLives } from "./random-lives.ts";

randomLives("nats");
