import { everyDeath, pairDeaths } from "./pair-deaths.ts";

pairDeaths("embedded", everyDeath);
