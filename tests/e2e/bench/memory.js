// What processes hold in memory, as the system says.
import { readdir, readFile } from "node:fs/promises";

/** Resident memory, in MB, of all processes with such a name that descend from `ancestor`. */
export async function memory(ancestor, name) {
  const sizes = await Promise.all((await descendants(ancestor, name)).map(({ pid }) => resident(pid)));
  return Math.round(sizes.reduce((sum, size) => sum + size, 0));
}

/** All processes with such a name that descend from `ancestor`. */
export async function descendants(ancestor, name) {
  const all = await processes();
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const descends = (pid) => pid === ancestor || (parents.has(pid) && descends(parents.get(pid)));
  return all.filter((process) => name.test(process.name) && descends(process.pid));
}

async function processes() {
  const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")));
  return stats.filter(Boolean).map((stat) => {
    const [, pid, name, parent] = /^(\d+) \((.*)\) \S (\d+)/s.exec(stat);
    return { pid: Number(pid), name, parent: Number(parent) };
  });
}

async function resident(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}
