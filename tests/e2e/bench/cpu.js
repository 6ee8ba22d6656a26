// What processes use of a core, as the system says.
import { readFile } from "node:fs/promises";
import { descendants } from "./memory.js";

/** Ticks a second in which the system counts the time of a process. */
const HERTZ = 100;

/** Seconds of a core that all processes with such a name that descend from `ancestor` have used so far. */
export async function cpu(ancestor, name) {
  const wanted = await descendants(ancestor, name);
  const used = await Promise.all(wanted.map(({ pid }) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")));
  return used.filter(Boolean).reduce((sum, stat) => {
    // Behind the name, which may have spaces: the 12th and 13th fields are user and system time.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return sum + (Number(fields[11]) + Number(fields[12])) / HERTZ;
  }, 0);
}
