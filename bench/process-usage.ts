import { readFile } from 'node:fs/promises';

/** Unit of Linux process times: sysconf(_SC_CLK_TCK), 100 on every platform that Node runs on. */
const CLOCK_TICKS_PER_SECOND = 100;

export interface ProcessUsage {
  /** User and system time so far. */
  cpuSeconds: number;
  peakRssMb: number;
  rssMb: number;
  /** Resident memory that it shares with nobody, such as its heap; without shared buffers and mapped files. */
  anonymousMb: number;
}

/** What a process has used so far; NaN without /proc. */
export async function processUsage(pid: number): Promise<ProcessUsage> {
  const [stat, status] = await Promise.all([readProc(pid, 'stat'), readProc(pid, 'status')]);
  // proc(5): after the name in parentheses, user and system time are the 12th and 13th fields.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND,
    peakRssMb: megabytesOf(status, 'VmHWM'),
    rssMb: megabytesOf(status, 'VmRSS'),
    anonymousMb: megabytesOf(status, 'RssAnon'),
  };
}

function megabytesOf(status: string, field: string): number {
  return Number(new RegExp(`${field}:\\s*(\\d+) kB`).exec(status)?.[1] ?? NaN) / 1024;
}

async function readProc(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}
