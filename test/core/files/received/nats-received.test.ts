import { receivedFiles } from "./received-files.ts";

receivedFiles("nats");
