// Starts and ends the programs a window needs. Everything started here is ended here, also when a test fails.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";

const running = new Set();

/** Starts a program; its output is kept for the report of a failure. */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  child.output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data) => (child.output = (child.output + data).slice(-20_000)));
  }
  child.on("error", (error) => (child.output += `${command}: ${error.message}`));
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}

/** Ends a program: politely, then not. */
export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await gone;
  clearTimeout(patience);
}

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A port that is free now. */
export async function freePort() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until `probe` answers something true. */
export async function until(probe, what, tries = 600) {
  for (let left = tries; left > 0; left -= 1) {
    const answer = await probe();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain: ${what}`);
}
