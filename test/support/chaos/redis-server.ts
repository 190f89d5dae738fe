import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { chooseFixedPort } from '#test/support/child-process.ts';
import { runEnvironment } from '#test/support/run-environment.ts';

/** A Redis of the test alone, which keeps nothing when it is killed. */
export interface RedisServer {
  readonly port: number;
  /** Around the proxies. */
  readonly client: Redis;
  start(): Promise<void>;
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
}

export async function openRedisServer(opened: AsyncDisposableStack): Promise<RedisServer> {
  const port = await chooseFixedPort();
  let child: ChildProcess | null = null;
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null, lazyConnect: true });
  client.on('error', () => undefined);
  const server: RedisServer = {
    port,
    client,
    async start() {
      const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', ''];
      child = spawn('/usr/bin/redis-server', [...settings, '--maxmemory-policy', 'noeviction'], {
        stdio: 'ignore',
        env: runEnvironment(),
      });
      await client.ping();
    },
    async kill() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
    signal: (name) => void child?.kill(name),
  };
  await server.start();
  opened.defer(() => server.kill());
  opened.defer(() => client.disconnect());
  return server;
}
