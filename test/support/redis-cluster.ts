import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { chooseFixedPort } from './child-process.ts';
import { runEnvironment } from './run-environment.ts';
import { until } from './until.ts';

const SERVER = '/usr/bin/redis-server';
const PRIMARIES = 3;
const SLOTS = 16_384;
const NODE_TIMEOUT_MS = 2_000;

interface Node {
  port: number;
  busPort: number;
  client: Redis;
  process: ChildProcess;
}

/** Three primaries with a replica each, as Redis asks for: a primary that dies is replaced by its replica. */
export interface RedisCluster {
  /** For `REDIS_URL`: all addresses. */
  readonly url: string;
  /** Kills the primary that serves the key with SIGKILL. @returns its port */
  killPrimaryOf(key: string): Promise<number>;
  /** Port of the primary that serves the key now; null while nobody does. */
  primaryOf(key: string): Promise<number | null>;
}

export async function openRedisCluster(opened: AsyncDisposableStack): Promise<RedisCluster> {
  const folder = await mkdtemp(path.join(tmpdir(), 'redis-cluster-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const nodes: Node[] = [];
  for (let number = 0; number < 2 * PRIMARIES; number += 1)
    nodes.push(await startNode(folder, opened));
  const primaries = nodes.slice(0, PRIMARIES);
  const [first] = primaries;
  if (first === undefined) throw new Error('No node was started.');
  for (const [place, { client }] of primaries.entries()) {
    const [from, to] = [place, place + 1].map((part) => Math.floor((SLOTS * part) / PRIMARIES));
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from ?? 0, (to ?? 0) - 1);
  }
  for (const [place, { client }] of nodes.entries()) {
    // Distinct epochs, which nodes that were never one cluster would have to agree on first.
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', place + 1);
    if (client !== first.client)
      await client.call('CLUSTER', 'MEET', '127.0.0.1', first.port, first.busPort);
  }
  await until(async () =>
    (await Promise.all(nodes.map(knownNodes))).every((known) => known === nodes.length),
  );
  for (const [place, { client }] of primaries.entries()) {
    const id = String(await client.call('CLUSTER', 'MYID'));
    await nodes[PRIMARIES + place]?.client.call('CLUSTER', 'REPLICATE', id);
  }
  await until(async () => (await Promise.all(nodes.map(isReady))).every(Boolean));
  const primaryOf = (key: string) => servingPort(nodes, key);
  return {
    url: nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    primaryOf,
    async killPrimaryOf(key) {
      const port = await primaryOf(key);
      const node = nodes.find((one) => one.port === port);
      if (node === undefined) throw new Error(`No node serves ${key}.`);
      await kill(node.process);
      return node.port;
    },
  };
}

async function startNode(folder: string, opened: AsyncDisposableStack): Promise<Node> {
  const [port, busPort] = [await chooseFixedPort(), await chooseFixedPort()];
  const own = path.join(folder, String(port));
  await mkdir(own);
  const settings: Record<string, string | number> = {
    port,
    'cluster-port': busPort,
    bind: '127.0.0.1',
    dir: own,
    'cluster-enabled': 'yes',
    'cluster-node-timeout': NODE_TIMEOUT_MS,
    'repl-diskless-sync-delay': 0,
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const process = spawn(SERVER, words, { stdio: 'ignore', env: runEnvironment() });
  opened.defer(() => kill(process));
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  opened.defer(() => client.disconnect());
  await client.ping();
  return { port, busPort, client, process };
}

async function knownNodes({ client }: Node): Promise<number> {
  return String(await client.call('CLUSTER', 'NODES'))
    .trim()
    .split('\n').length;
}

async function isReady({ client }: Node): Promise<boolean> {
  const info = String(await client.call('CLUSTER', 'INFO'));
  const replication = await client.info('replication');
  return (
    info.includes('cluster_state:ok') &&
    (/role:master\r\nconnected_slaves:1/.test(replication) ||
      replication.includes('master_link_status:up'))
  );
}

/** Asks the nodes that are alive. */
async function servingPort(nodes: readonly Node[], key: string): Promise<number | null> {
  for (const { client, process } of nodes) {
    if (process.exitCode !== null || process.signalCode !== null) continue;
    const slot = Number(await client.call('CLUSTER', 'KEYSLOT', key));
    // [[from, to, [ip, port, id, …], …], …]: the primary comes first.
    const ranges = (await client.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const range = ranges.find(([from, to]) => slot >= from && slot <= to);
    if (range) return range[2][1];
  }
  return null;
}

async function kill(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exited = once(process, 'exit');
  process.kill('SIGKILL');
  await exited;
}
