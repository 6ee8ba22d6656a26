// Starts and ends the programs a window needs. Everything started here is ended here, also when a test fails.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";

const running = new Set();

/** Starts a program in a process group of its own; its output is kept for the report of a failure. */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options, detached: true });
  child.output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data) => (child.output = (child.output + data).slice(-20_000)));
  }
  child.on("error", (error) => (child.output += `${command}: ${error.message}`));
  running.add(child);
  return child;
}

/** Ends a program: politely, then not. What it started itself ends with it. */
export async function end(child) {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    const patience = setTimeout(() => killGroup(child), 10_000);
    await gone;
    clearTimeout(patience);
  }
  killGroup(child);
  running.delete(child);
}

function killGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}

process.on("exit", () => running.forEach(killGroup));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

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
