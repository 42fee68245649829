import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../setup/free-port.ts";
import { projectRoot } from "../../setup/project-files.ts";

interface Ports {
  readonly http: number;
  readonly https: number;
  readonly gateway: number;
}

interface ProxyProgram {
  readonly name: string;
  /** Changes the addresses and certificate of the shipped file to local ones, and nothing else. */
  write(folder: string, ports: Ports): Promise<readonly [command: string, ...args: string[]]>;
}

const shipped = (path: string) => readFile(join(projectRoot, path), "utf8");

/** Fails if the shipped file no longer has the text. */
const replaceAll = (text: string, pairs: readonly (readonly [from: string, to: string])[]): string =>
  pairs.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the shipped file does not have ${from}`);
    return changed.replaceAll(from, to);
  }, text);

export const nginx: ProxyProgram = {
  name: "nginx",
  write: async (folder, { http, https, gateway }) => {
    const site = replaceAll(await shipped("deploy/nginx/mooring.conf"), [
      ["listen 80;", `listen 127.0.0.1:${http};`],
      ["listen [::]:80;", ""],
      ["listen 443 ssl", `listen 127.0.0.1:${https} ssl`],
      ["listen [::]:443 ssl http2;", ""],
      ["127.0.0.1:8080", `127.0.0.1:${gateway}`],
      ["chat.example.com", "localhost"],
      ["/etc/ssl/mooring/fullchain.pem", join(folder, "cert.pem")],
      ["/etc/ssl/mooring/privkey.pem", join(folder, "key.pem")],
    ]);
    await writeFile(join(folder, "site.conf"), site);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`);
    await writeFile(
      join(folder, "nginx.conf"),
      // One process as the current user, so that it can be ended by its id and read the temporary folder.
      `daemon off; master_process off; pid nginx.pid; error_log stderr; events {}\nhttp { access_log off; ${temporary.join(" ")} include site.conf; }\n`,
    );
    return ["nginx", "-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"];
  },
};

export const caddy = (program: string): ProxyProgram => ({
  name: "caddy",
  write: async (folder, { http, https, gateway }) => {
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const site = replaceAll(await shipped("deploy/caddy/Caddyfile"), [
      ["chat.example.com {", `https://localhost:${https} {\n\ttls ${cert} ${key}`],
      ["127.0.0.1:8080", `127.0.0.1:${gateway}`],
    ]);
    const ports = `\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tdefault_bind 127.0.0.1\n\tservers {\n\t\tprotocols h1 h2\n\t}`;
    await writeFile(join(folder, "Caddyfile"), `{\n${ports}\n\tstorage file_system ${folder}\n}\n${site}`);
    return [program, "run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
  },
});

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The address of the client, one of 127.0.0.0/8. */
  readonly from?: string;
}

/** A real reverse proxy with the shipped file and a self-signed certificate, in front of a gateway. */
export class ReverseProxy {
  readonly ports: Ports;
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #agents = new Map<string, Agent>();

  private constructor(folder: string, ports: Ports, process: ChildProcess) {
    this.#folder = folder;
    this.ports = ports;
    this.#process = process;
  }

  static async start(program: ProxyProgram, ports: Ports): Promise<ReverseProxy> {
    const folder = await mkdtemp(join(tmpdir(), "mooring-proxy-"));
    const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files, ...subject], {
      stdio: "ignore",
    });
    const [command, ...args] = await program.write(folder, ports);
    const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.on("data", (data) => {
      errors += data;
    });
    const failed = Promise.race([
      once(child, "error").then(([error]) => Promise.reject(error)),
      once(child, "exit").then(() => Promise.reject(new Error(`${command} ended: ${errors}`))),
    ]);
    failed.catch(() => undefined);
    const proxy = new ReverseProxy(folder, ports, child);
    try {
      await Promise.race([accepting(ports.https), failed]);
    } catch (error) {
      await proxy.stop();
      throw error;
    }
    return proxy;
  }

  static async ports(gateway: number): Promise<Ports> {
    return { http: await freePort(), https: await freePort(), gateway };
  }

  get address(): string {
    return `https://localhost:${this.ports.https}`;
  }

  get certificate(): string {
    return readFileSync(join(this.#folder, "cert.pem"), "utf8");
  }

  send(path: string, { method = "GET", headers = {}, body, from = "127.0.0.1" }: Sent = {}) {
    return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
      const options = { method, headers, agent: this.#agentOf(from) };
      const sent = request(`${this.address}${path}`, options, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  #agentOf(localAddress: string): Agent {
    const options = { keepAlive: true, maxSockets: 10, ca: this.certificate, localAddress, family: 4 };
    const agent = this.#agents.get(localAddress) ?? new Agent(options);
    this.#agents.set(localAddress, agent);
    return agent;
  }

  async stop(): Promise<void> {
    for (const agent of this.#agents.values()) agent.destroy();
    const ended = this.#process.exitCode === null ? once(this.#process, "exit") : undefined;
    this.#process.kill("SIGKILL");
    await ended;
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const accepting = async (port: number): Promise<void> => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await delay(10)) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
  }
  throw new Error(`no program accepts connections on port ${port}`);
};
